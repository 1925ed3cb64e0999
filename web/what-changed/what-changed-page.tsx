import { useQuery } from '@tanstack/react-query';
import { changeKinds, minimumRuns, type ChangeKind, type Changes } from '#contract/metrics/changes.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { queryString } from '../api/query-string.ts';
import { periodText } from '../metrics/filter/period-text.ts';
import { formatNumber } from '../ui/locale.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { ChangeTable } from './change-table.tsx';
import { changesQuery, type ChangesSearch } from './changes-search.ts';
import { ChangesToolbar } from './changes-toolbar.tsx';

const askEveryMs = 60_000;

const titles: Record<ChangeKind, string> = {
  slower: 'Slower',
  failing: 'Fail more often',
  flakier: 'Flakier',
  costlier: 'More minutes',
};

/** How a change is measured, below each title. */
const notes: Record<ChangeKind, string> = {
  slower: 'The median (p50) or the 95th percentile of the duration rose.',
  failing: 'A larger share of the runs that passed or failed did fail.',
  flakier: 'A larger share of the runs passed only when they were run again.',
  costlier: 'More billable minutes in total, because of more runs or longer ones.',
};

/** Workflows and jobs that became worse, each with since when and since which commit. */
export function WhatChangedPage({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: ChangesSearch;
  onChange: (change: ChangesSearch) => void;
}) {
  const path = `/api/integrations/${integrationId}/what-changed`;
  const reading = useQuery({
    queryKey: [path, search],
    queryFn: async ({ signal }) => ({
      changes: await getJson<Changes>(path + queryString(changesQuery(search, Date.now())), signal),
      search,
    }),
    refetchInterval: readEvery(askEveryMs),
    placeholderData: (previous) => previous,
  });
  return (
    <>
      <PageHeader title={<PageTitle>What changed</PageTitle>} end={null}>
        <ChangesToolbar integrationId={integrationId} search={search} onChange={onChange} />
      </PageHeader>
      <PageBody>
        <Loaded reading={reading} what="changes" skeletonRows={10}>
          {({ changes, search: shown }) => <Content changes={changes} search={shown} />}
        </Loaded>
      </PageBody>
    </>
  );
}

function Content({ changes, search }: { changes: Changes; search: ChangesSearch }) {
  const { from, to, previousFrom, compared } = changes;
  const periods = `${periodText({ from, to })} compared with ${periodText({ from: previousFrom, to: from })}`;
  if (compared === 0)
    return (
      <Message title="Too few runs to compare">
        <p className="text-muted">
          {periods}. A workflow or job is compared when it completed at least {minimumRuns} times in each of
          both periods. Choose a longer period or fewer filters.
        </p>
      </Message>
    );
  const shown = changeKinds.filter((kind) => changes[kind].count > 0);
  if (shown.length === 0)
    return (
      <Message title="Nothing became worse">
        <p className="text-muted">
          {periods}. None of {formatNumber(compared)} workflows and jobs takes longer, fails more often, is
          flakier or uses more minutes.
        </p>
      </Message>
    );
  return (
    <>
      <Introduction changes={changes} periods={periods} />
      {shown.map((kind) => (
        <PagePart key={kind} title={titles[kind]} note={notes[kind]}>
          <ChangeTable kind={kind} label={titles[kind]} changes={changes} branch={search.branch} />
          <More count={changes[kind].count - changes[kind].items.length} />
        </PagePart>
      ))}
    </>
  );
}

function Introduction({
  changes: { compared, comparesFlakyJobs },
  periods,
}: {
  changes: Changes;
  periods: string;
}) {
  return (
    <p className="border-b border-line px-4 py-3">
      {periods}: {formatNumber(compared)} workflows and jobs with at least {minimumRuns} runs in each period.
      <span className="block text-muted">
        The largest change first. <em>Since</em> is the moment that best divides the runs into those before
        and those after the change.
        {!comparesFlakyJobs &&
          ' Re-runs of jobs are not compared, because there are too many: choose a shorter period or a filter.'}
      </span>
    </p>
  );
}

/** How many changes are not listed. */
function More({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p className="px-4 py-2 text-muted">
      {formatNumber(count)} more with a smaller change. Filter by repository or workflow to see them.
    </p>
  );
}
