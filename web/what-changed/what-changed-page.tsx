import { useQuery } from '@tanstack/react-query';
import { minimumRuns, type Changes } from '#contract/metrics/changes.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { queryString } from '../api/query-string.ts';
import { periodText } from '../metrics/filter/period-text.ts';
import { formatNumber } from '../ui/locale.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { ChangeList } from './change-list.tsx';
import { changesQuery, type ChangesSearch, changeDays, defaultDays } from './changes-search.ts';
import { BranchClassFilter } from '../metrics/filter/branch-class-filter.tsx';
import { PeriodFilter } from '../metrics/filter/period-filter.tsx';
import { NameFilter } from '../runs/filter/name-filter.tsx';

const askEveryMs = 60_000;

/** Workflows and jobs that became worse, each with the evidence. */
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
  const { from, to, previousFrom, compared, count, items, comparesFlakyJobs } = changes;
  const periods = `${periodText({ from, to })} compared with ${periodText({ from: previousFrom, to: from })}`;
  if (compared === 0)
    return (
      <Message title="Too few runs to compare">
        <p className="text-muted">
          {periods}. A workflow or job needs {minimumRuns} completed runs in each period. Choose a longer
          period or fewer filters.
        </p>
      </Message>
    );
  if (items.length === 0)
    return (
      <Message title="Nothing became worse">
        <p className="text-muted">
          {periods}. None of {formatNumber(compared)} workflows and jobs differs by more than chance explains.
        </p>
      </Message>
    );
  return (
    <>
      <p className="border-b border-line px-4 py-3">
        <strong>
          {formatNumber(count)} of {formatNumber(compared)}
        </strong>{' '}
        workflows and jobs became worse, by more than chance explains.{' '}
        <span className="text-muted">
          {periods}.
          {!comparesFlakyJobs && ' Too many re-runs to compare those of jobs: choose a shorter period.'}
        </span>
      </p>
      <ChangeList changes={changes} branch={search.branch} />
      {count > items.length && (
        <p className="px-4 py-2 text-muted">
          {formatNumber(count - items.length)} more. Filter by repository or workflow to see them.
        </p>
      )}
    </>
  );
}

/** Period and filters of the comparison. */
function ChangesToolbar({
  integrationId,
  search: { days = defaultDays, from, to, repository, workflow, branch },
  onChange,
}: {
  integrationId: string;
  search: ChangesSearch;
  onChange: (change: ChangesSearch) => void;
}) {
  return (
    <search className="contents">
      <PeriodFilter days={days} from={from} to={to} choices={changeDays} onChange={onChange} />
      <NameFilter
        integrationId={integrationId}
        facet="repository"
        name="Repository"
        value={repository}
        onChoose={(chosen) => onChange({ repository: chosen })}
      />
      <NameFilter
        integrationId={integrationId}
        facet="workflow"
        name="Workflow"
        value={workflow}
        onChoose={(chosen) => onChange({ workflow: chosen })}
      />
      <BranchClassFilter value={branch} onChoose={(chosen) => onChange({ branch: chosen })} />
    </search>
  );
}
