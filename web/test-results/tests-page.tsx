import { Link } from '@tanstack/react-router';
import { testStates, type TestSort, type TestState, type TestSummary } from '#contract/tests/tests.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';
import { usePages } from '../api/use-pages.ts';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { ConnectionMark } from '../ui/connection-mark.tsx';
import { Figure, Figures } from '../ui/figure.tsx';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { useRowKeys } from '../ui/keyboard/use-row-keys.ts';
import { formatNumber } from '../ui/locale.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { NoMatches } from '../ui/page/no-matches.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { FlakyJobs } from './flaky-jobs.tsx';
import { TestFilters, useTestFacets } from './test-filters.tsx';
import type { TestSearch } from './test-search.ts';
import { TestTable } from './test-table.tsx';
import { testsPath } from './tests-path.ts';
import { stateLabels } from './test-texts.ts';

/** Reports arrive without an update, and soon after or before the end of their job. */
const askEveryMs = 30_000;
const pauseMs = 5000;

const sorts: { value: TestSort; label: string }[] = [
  { value: 'failed', label: 'Last failure' },
  { value: 'failures', label: 'Failures' },
  { value: 'lost', label: 'Time lost' },
  { value: 'duration', label: 'Duration' },
];

interface PageProps {
  integrationId: string;
  search: TestSearch;
  /** `isTyping` adds no history step. */
  onChange: (change: TestSearch, isTyping?: boolean) => void;
}

/** The tests of an integration: what is broken or flaky, and what it costs. Flaky jobs need no report. */
export function TestsPage({ integrationId, search, onChange }: PageProps) {
  const { show, ...filter } = search;
  return (
    <>
      <PageHeader title={<PageTitle>Tests</PageTitle>} end={<ConnectionMark />}>
        <ChoiceRow
          label="Show"
          value={show ?? (search.quarantined ? 'quarantine' : 'tests')}
          choices={shows}
          onChoose={(chosen) =>
            onChange({
              show: chosen === 'jobs' ? 'jobs' : undefined,
              quarantined: chosen === 'quarantine' ? true : undefined,
            })
          }
        />
        {show === undefined && (
          <TestFilters integrationId={integrationId} search={filter} onChange={onChange} />
        )}
      </PageHeader>
      <PageBody>
        {show === 'jobs' ? (
          <FlakyJobs integrationId={integrationId} />
        ) : (
          <TestList integrationId={integrationId} search={filter} onChange={onChange} />
        )}
      </PageBody>
    </>
  );
}

const shows = [
  { value: 'tests', label: 'Tests' },
  { value: 'quarantine', label: 'In quarantine' },
  { value: 'jobs', label: 'Flaky jobs' },
] as const;

function TestList({ integrationId, search, onChange }: PageProps) {
  const list = useRowKeys();
  const path = testsPath(integrationId);
  const { reading, more, isReadingMore } = usePages<TestSummary>(path, search, askEveryMs);
  useLiveReads({
    integrationId,
    queryKey: [path],
    pauseMs,
    concerns: ({ status }) => status === 'completed',
  });
  const { sort = 'failed', quarantined, ...filter } = search;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const clear = (): void =>
    onChange({ q: undefined, state: undefined, repository: undefined, suite: undefined });
  return (
    <>
      <StateFigures integrationId={integrationId} search={search} />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 pt-4 pb-2">
        <p className="text-muted">{shownText(search)}</p>
        <ChoiceRow
          label="Sort by"
          value={sort}
          choices={sorts}
          onChoose={(chosen) => onChange({ sort: chosen === 'failed' ? undefined : chosen })}
        />
      </div>
      <div ref={list}>
        <Loaded reading={reading} what="tests">
          {(tests) =>
            tests.length === 0 ? (
              <NoTests sort={sort} quarantined={quarantined} onClear={isFiltered ? clear : undefined} />
            ) : (
              <TestTable
                tests={tests}
                showsDuration={sort === 'duration'}
                showsQuarantine={quarantined === true}
              />
            )
          }
        </Loaded>
      </div>
      <MoreButton more={more} isPending={isReadingMore} />
    </>
  );
}

/** Which tests the list has. */
function shownText({ state, q, sort, quarantined }: TestSearch): string {
  const sums = 'Numbers are of the last 14 days.';
  if (state !== undefined || q !== undefined || sort === 'duration') return sums;
  return quarantined ? sums : `Tests that failed. ${sums}`;
}

/** How many tests have each state, as links to them. */
function StateFigures({ integrationId, search }: { integrationId: string; search: TestSearch }) {
  const params = useIntegrationParams();
  const { data } = useTestFacets(
    integrationId,
    { ...search, state: undefined },
    { refetchInterval: askEveryMs },
  );
  const countOf = (state: TestState): number => data?.state.find(({ value }) => value === state)?.count ?? 0;
  return (
    <Figures>
      {testStates.map((state) => (
        <Figure
          key={state}
          name={stateLabels[state]}
          value={
            data === undefined ? (
              '–'
            ) : (
              <Link
                to="/integrations/$integrationId/tests"
                params={params}
                search={{ ...search, sort: undefined, state }}
                data-count={countOf(state)}
                className="hover:underline"
              >
                {formatNumber(countOf(state))}
              </Link>
            )
          }
        />
      ))}
    </Figures>
  );
}

/** `onClear` removes the filters, if there are any. */
function NoTests({
  sort,
  quarantined,
  onClear,
}: {
  sort: TestSort;
  quarantined: true | undefined;
  onClear: (() => void) | undefined;
}) {
  if (onClear) return <NoMatches what="tests" onClear={onClear} />;
  if (quarantined)
    return (
      <Message title="No test in quarantine">
        <p className="text-muted">
          The page of a flaky test puts it into quarantine. Its failures count for no gate and no rule then.
        </p>
      </Message>
    );
  if (sort === 'lost')
    return (
      <Message title="No time lost">
        <p className="text-muted">No test passed only after a retry in the last 14 days.</p>
      </Message>
    );
  return (
    <Message title="No failed tests">
      <p className="text-muted">
        Tests are listed here when a job uploads a report with a failure: JUnit XML, CTRF or the output of “go
        test -json”. The guide “Tests” says how a job uploads one.
      </p>
    </Message>
  );
}
