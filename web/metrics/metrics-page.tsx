import { useQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import type { Metrics } from '#contract/metrics/metrics.ts';
import { readEvery } from '../api/read-every.ts';
import { Button } from '../ui/button.tsx';
import { formatDuration } from '../ui/time/format-duration.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { failedOnly } from '../runs/period.ts';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf } from '../ui/change.ts';
import { csvOf, download } from './csv.ts';
import { figureLinks, type FigureLinks } from './figure-links.tsx';
import { MetricsCharts } from './metrics-charts.tsx';
import type { MetricsSearch } from './metrics-search.ts';
import { FailureTable, GroupTable, MinutesTable, RunnerTable } from './metrics-tables.tsx';
import { MetricsToolbar, type ChangeMetrics } from './metrics-toolbar.tsx';
import { formatNumber, formatPercent } from '../ui/locale.ts';
import { numbersQuery } from './numbers-query.ts';

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
  const reading = useQuery({
    ...numbersQuery(integrationId, search),
    refetchInterval: readEvery(askEveryMs),
    placeholderData: (previous) => previous,
  });
  return (
    <>
      <PageHeader
        title={<PageTitle>Metrics</PageTitle>}
        end={
          <Button
            disabled={reading.data === undefined || reading.isPlaceholderData}
            onClick={() =>
              reading.data && download('forgewatch-metrics.csv', csvOf(reading.data.metrics.series))
            }
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
          {({ metrics, search: shown }) =>
            metrics.total.runs === 0 ? (
              <Message title="No completed runs in this period">
                <p className="text-muted">Choose a longer period or fewer filters.</p>
              </Message>
            ) : (
              <Content metrics={metrics} search={shown} onChange={onChange} />
            )
          }
        </Loaded>
      </PageBody>
    </>
  );
}

function Content({
  metrics,
  search,
  onChange,
}: {
  metrics: Metrics;
  search: MetricsSearch;
  onChange: ChangeMetrics;
}) {
  const { groups, failures, billable, runners } = metrics;
  const links = figureLinks(metrics, search);
  return (
    <>
      <Summary metrics={metrics} links={links} />
      <MetricsCharts metrics={metrics} links={links} onChange={onChange} />
      {groups.length > 0 && (
        <PagePart title="By group">
          <GroupTable groups={groups} links={links} />
        </PagePart>
      )}
      <PagePart
        id="failed-workflows"
        title="Workflows that failed most"
        isEmpty={failures.workflows.length === 0}
      >
        <FailureTable label="Workflows that failed most" failures={failures.workflows} links={links} />
      </PagePart>
      <PagePart title="Jobs that failed most" isEmpty={failures.jobs.length === 0}>
        <FailureTable label="Jobs that failed most" failures={failures.jobs} links={links} />
      </PagePart>
      <PagePart title="Minutes by runner labels" isEmpty={billable.length === 0}>
        <MinutesTable labels={billable} links={links} />
      </PagePart>
      <PagePart title="Busiest runners" isEmpty={runners.length === 0}>
        <RunnerTable runners={runners} links={links} />
      </PagePart>
    </>
  );
}

function Summary({ metrics, links }: { metrics: Metrics; links: FigureLinks }) {
  const { total, previousTotal: before, timeToMerge } = metrics;
  const { runs, successRate, failed, reruns, billableMinutes } = total;
  const firstTry = links.firstTry(total, (share) => `${share} at the first try`);
  return (
    <p className="border-b border-line px-4 py-3 [&_a]:whitespace-nowrap [&_strong]:whitespace-nowrap">
      <strong>{links.counted(runs, {})}</strong> completed {runs === 1 ? links.unit.slice(0, -1) : links.unit}
      <ChangeText change={changeOf(runs, before?.runs, 'amount', 'neither')} />,{' '}
      <strong>{formatPercent(successRate)}</strong> success rate
      <ChangeText change={changeOf(successRate, before?.successRate, 'rate', 'more')} />
      {firstTry && <> ({firstTry})</>}, <strong>{links.counted(failed, failedOnly)}</strong> failed,{' '}
      <strong>{links.counted(reruns, { attempt: 'later' })}</strong> {reruns === 1 ? 're-run' : 're-runs'},{' '}
      <strong>{links.ofMinutes(billableMinutes)}</strong>{' '}
      {billableMinutes === 1 ? 'runner minute' : 'runner minutes'}
      <ChangeText change={changeOf(billableMinutes, before?.billableMinutes, 'amount', 'less')} />
      {timeToMerge.p50Ms !== null && (
        <>
          ; <strong>{formatNumber(timeToMerge.merged)}</strong> merged pull{' '}
          {timeToMerge.merged === 1 ? 'request' : 'requests'}, median time to merge{' '}
          <strong>{formatDuration(timeToMerge.p50Ms)}</strong>
        </>
      )}
      .
    </p>
  );
}
