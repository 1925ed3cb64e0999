import { useNavigate } from '@tanstack/react-router';
import type { MetricPoint, Metrics } from '#contract/metrics/metrics.ts';
import { Chart } from '../ui/chart/chart.tsx';
import { firstFailure, spanOfSteps } from '../ui/chart/time-axis.ts';
import type { FigureLinks } from './figure-links.tsx';
import type { ChangeMetrics } from './metrics-toolbar.tsx';

/** The time series, each as a chart with a table. */
export function MetricsCharts({
  integrationId,
  metrics: { series, granularity },
  links,
  onChange,
}: {
  integrationId: string;
  metrics: Metrics;
  links: FigureLinks;
  onChange: ChangeMetrics;
}) {
  const navigate = useNavigate();
  const times = series.map(({ at }) => Date.parse(at));
  const spanOf = (step: number) => spanOfSteps(times, step, step, granularity);
  const shared = {
    times,
    granularity,
    onOpen: (step: number) => void navigate({ ...links.listOf(spanOf(step)), params: { integrationId } }),
    onZoom: ({ from, to }: { from: number; to: number }) =>
      onChange({
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        days: undefined,
        granularity: undefined,
      }),
    renderStep: (step: number, text: string) => links.ofStep(series[step]?.runs ?? 0, spanOf(step), text),
  };
  return (
    <div className="grid gap-x-8 gap-y-6 px-4 pt-6 xl:grid-cols-2">
      {chartsOf(series, links.unit).map((chart) => (
        <Chart key={chart.label} {...shared} {...chart} />
      ))}
    </div>
  );
}

function chartsOf(points: readonly MetricPoint[], unit: FigureLinks['unit']) {
  const line = (name: string, colour: string, valueOf: (point: MetricPoint) => number | null) => ({
    name,
    colour,
    values: points.map(valueOf),
  });
  const counts = { kind: 'stacked', unit: 'count' } as const;
  const durations = { kind: 'lines', unit: 'duration' } as const;
  return [
    {
      ...counts,
      label: unit === 'runs' ? 'Runs' : 'Jobs',
      mark: firstFailure(points),
      series: [
        line('Passed', '--passed', ({ succeeded }) => succeeded),
        line('Failed', '--failed', ({ failed }) => failed),
        line('Other', '--other', ({ runs, succeeded, failed }) => runs - succeeded - failed),
      ],
    },
    {
      ...durations,
      label: 'Duration',
      series: [
        line('p50', '--accent', ({ durationP50Ms }) => durationP50Ms),
        line('p95', '--waiting', ({ durationP95Ms }) => durationP95Ms),
      ],
    },
    {
      ...durations,
      label: 'Queue time',
      series: [
        line('p50', '--accent', ({ queueP50Ms }) => queueP50Ms),
        line('p95', '--waiting', ({ queueP95Ms }) => queueP95Ms),
      ],
    },
    {
      ...counts,
      label: 'Billable minutes',
      series: [line('Minutes', '--accent', ({ billableMinutes }) => billableMinutes)],
    },
  ];
}
