import { useQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import type { ReactNode } from 'react';
import type { Metrics } from '#contract/metrics/metrics.ts';
import { getJson, queryString } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { formatDuration } from '../ui/time/format-duration.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { csvOf, download } from './csv.ts';
import { MetricsCharts } from './metrics-charts.tsx';
import { metricsQuery, type MetricsSearch } from './metrics-search.ts';
import { FailureTable, FlakyTable, GroupTable, MinutesTable, RunnerTable } from './metrics-tables.tsx';
import { MetricsToolbar, type ChangeMetrics } from './metrics-toolbar.tsx';

const askEveryMs = 60_000;

/** Duration, failures and cost over time. */
export function MetricsPage({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: MetricsSearch;
  onChange: ChangeMetrics;
}) {
  const path = `/api/integrations/${integrationId}/metrics`;
  const reading = useQuery({
    queryKey: [path, search],
    queryFn: ({ signal }) => getJson<Metrics>(path + queryString(metricsQuery(search, Date.now())), signal),
    refetchInterval: askEveryMs,
    placeholderData: (previous) => previous,
  });
  return (
    <>
      <PageHeader
        title={<PageTitle>Metrics</PageTitle>}
        end={
          <Button
            disabled={reading.data === undefined || reading.isPlaceholderData}
            onClick={() => reading.data && download('forgewatch-metrics.csv', csvOf(reading.data.series))}
          >
            <Download size={15} aria-hidden />
            CSV
          </Button>
        }
      >
        <MetricsToolbar integrationId={integrationId} search={search} onChange={onChange} />
      </PageHeader>
      <PageBody>
        <Loaded reading={reading} what="metrics" skeletonRows={10}>
          {(metrics) =>
            metrics.total.runs === 0 ? (
              <Message title="No completed runs in this period">
                <p className="text-muted">Choose a longer period or fewer filters.</p>
              </Message>
            ) : (
              <Content integrationId={integrationId} metrics={metrics} />
            )
          }
        </Loaded>
      </PageBody>
    </>
  );
}

function Content({ integrationId, metrics }: { integrationId: string; metrics: Metrics }) {
  const { total, groups, failures, flakyJobs, billable, runners, leadTime } = metrics;
  return (
    <>
      <p className="border-b border-line px-4 py-3">
        <strong>{total.runs.toLocaleString()}</strong> completed runs,{' '}
        <strong>{total.successRate === null ? '–' : `${(total.successRate * 100).toFixed(1)} %`}</strong>{' '}
        success rate, <strong>{total.reruns.toLocaleString()}</strong> re-runs,{' '}
        <strong>{total.billableMinutes.toLocaleString()}</strong> billable minutes
        {leadTime.p50Ms !== null && (
          <>
            ; <strong>{leadTime.merged.toLocaleString()}</strong> merged pull requests, median lead time{' '}
            <strong>{formatDuration(leadTime.p50Ms)}</strong>
          </>
        )}
        .
      </p>
      <MetricsCharts metrics={metrics} />
      {groups.length > 0 && (
        <Part title="By group">
          <GroupTable groups={groups} />
        </Part>
      )}
      <Part title="Workflows that failed most" isEmpty={failures.workflows.length === 0}>
        <FailureTable label="Workflows that failed most" failures={failures.workflows} />
      </Part>
      <Part title="Jobs that failed most" isEmpty={failures.jobs.length === 0}>
        <FailureTable label="Jobs that failed most" failures={failures.jobs} />
      </Part>
      <Part title="Flaky jobs" isEmpty={flakyJobs.length === 0}>
        <FlakyTable integrationId={integrationId} jobs={flakyJobs} />
      </Part>
      <Part title="Minutes by runner labels" isEmpty={billable.length === 0}>
        <MinutesTable labels={billable} />
      </Part>
      <Part title="Busiest runners" isEmpty={runners.length === 0}>
        <RunnerTable runners={runners} />
      </Part>
    </>
  );
}

function Part({
  title,
  isEmpty = false,
  children,
}: {
  title: string;
  isEmpty?: boolean;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <h2 className="px-4 pt-8 pb-2 text-base font-semibold">{title}</h2>
      {isEmpty ? <p className="px-4 text-muted">None in this period.</p> : children}
    </section>
  );
}
