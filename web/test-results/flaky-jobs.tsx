import { useQuery } from '@tanstack/react-query';
import type { FlakyJob, Metrics } from '#contract/metrics/metrics.ts';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { readEvery } from '../api/read-every.ts';
import { JobsLink } from '../runs/figure-link.tsx';
import { periodOf } from '../runs/period.ts';
import { RunLink } from '../runs/run-link.tsx';
import { metricsQuery } from '../metrics/metrics-search.ts';
import { formatCount, formatNumber } from '../ui/locale.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { lostColumn } from './test-table.tsx';

const askEveryMs = 60_000;

/** Jobs whose re-run had another result on the same commit: what is known without a report. */
export function FlakyJobs({ integrationId }: { integrationId: string }) {
  const path = `/api/integrations/${integrationId}/metrics`;
  const reading = useQuery({
    queryKey: [path, 'flaky jobs'],
    queryFn: ({ signal }) =>
      getJson<Metrics>(path + queryString(metricsQuery({ days: 14 }, Date.now())), signal),
    refetchInterval: readEvery(askEveryMs),
  });
  return (
    <Loaded reading={reading} what="flaky jobs">
      {(metrics) =>
        metrics.flakyJobs.length === 0 ? (
          <Message title="No flaky jobs">
            <p className="text-muted">
              No re-run of a job had another result than the attempt before in the last 14 days.
            </p>
          </Message>
        ) : (
          <>
            <p className="px-4 pt-4 pb-2 text-muted">
              Jobs whose re-run had another result on the same commit, in the last 14 days.
            </p>
            <Table
              label="Flaky jobs"
              columns={columnsFor(metrics)}
              rows={metrics.flakyJobs}
              rowKey={({ repository, workflow, job }) => JSON.stringify([repository, workflow, job])}
            />
          </>
        )
      }
    </Loaded>
  );
}

const jobColumn: Column<FlakyJob> = {
  key: 'job',
  header: 'Job',
  sortBy: ({ job }) => job,
  renderCell: ({ job, workflow, repository, lastRunId }) => (
    <span>
      <RunLink runId={lastRunId} className="font-medium hover:underline">
        <bdi>{clip(job)}</bdi>
      </RunLink>
      <bdi className="block text-xs text-muted">
        {clip(repository)} {clip(workflow)}
      </bdi>
    </span>
  ),
};

function columnsFor(period: Pick<Metrics, 'from' | 'to'>): Column<FlakyJob>[] {
  return [
    jobColumn,
    {
      key: 'odds',
      header: 'Odds',
      className: 'text-muted',
      sortBy: ({ retries, passedRetries }) => (retries > 0 ? passedRetries / retries : null),
      renderCell: ({ retries, passedRetries }) =>
        retries > 0 && `passed on re-run ${formatNumber(passedRetries)} of ${formatNumber(retries)}`,
    },
    {
      key: 'flips',
      header: 'Other result',
      isAtEnd: true,
      sortBy: ({ flips }) => flips,
      renderCell: ({ flips, repository, workflow, job }) => (
        <>
          <span className="columns:hidden">another result </span>
          <JobsLink
            count={flips}
            filter={{ ...periodOf(period), repository, workflow, job, attempt: 'flip' }}
          >
            {formatCount(flips, 'time')}
          </JobsLink>
        </>
      ),
    },
    { ...lostColumn, sortBy: ({ lostMs }) => lostMs },
    {
      key: 'last',
      header: 'Last',
      isAtEnd: true,
      className: 'text-muted whitespace-nowrap',
      sortBy: ({ lastAt }) => Date.parse(lastAt),
      renderCell: ({ lastAt }) => <TimeAgo time={lastAt} isFocusable />,
    },
  ];
}
