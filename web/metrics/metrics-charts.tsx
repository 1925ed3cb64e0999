import type { MetricPoint, Metrics } from '#contract/metrics/metrics.ts';
import { firstFailure } from '../ui/chart/time-axis.ts';
import type { FigureLinks } from './figure-links.tsx';
import type { ChangeMetrics } from './metrics-toolbar.tsx';
import { lineOf, TimeCharts, type ChartPart } from './time-charts.tsx';

/** The time series, each as a chart with a table. */
export function MetricsCharts({
  metrics: { series, granularity },
  links,
  onChange,
}: {
  metrics: Metrics;
  links: FigureLinks;
  onChange: ChangeMetrics;
}) {
  return (
    <TimeCharts
      steps={series}
      granularity={granularity}
      links={links}
      charts={chartsOf(series, links.unit)}
      onZoom={(range) => onChange({ ...range, days: undefined, granularity: undefined })}
    />
  );
}

function chartsOf(points: readonly MetricPoint[], unit: FigureLinks['unit']): ChartPart[] {
  const line = lineOf(points);
  return [
    {
      kind: 'stacked',
      unit: 'count',
      label: unit === 'runs' ? 'Runs' : 'Jobs',
      mark: firstFailure(points),
      series: [
        line('Passed', '--passed', ({ succeeded }) => succeeded),
        line('Failed', '--failed', ({ failed }) => failed),
        line('Other', '--other', ({ runs, succeeded, failed }) => runs - succeeded - failed),
      ],
    },
    {
      kind: 'lines',
      unit: 'duration',
      label: 'Duration',
      series: [
        line('p50', '--accent', ({ durationP50Ms }) => durationP50Ms),
        line('p95', '--waiting', ({ durationP95Ms }) => durationP95Ms),
      ],
    },
    {
      kind: 'lines',
      unit: 'duration',
      label: 'Queue time',
      series: [
        line('p50', '--accent', ({ queueP50Ms }) => queueP50Ms),
        line('p95', '--waiting', ({ queueP95Ms }) => queueP95Ms),
      ],
    },
    {
      kind: 'stacked',
      unit: 'count',
      label: 'Runner minutes',
      series: [line('Minutes', '--accent', ({ billableMinutes }) => billableMinutes)],
    },
  ];
}
