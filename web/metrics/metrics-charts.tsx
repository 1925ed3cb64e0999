import type { MetricPoint, Metrics } from '#contract/metrics/metrics.ts';
import { Chart } from '../ui/chart/chart.tsx';

/** The time series, each as a chart with a table. */
export function MetricsCharts({ metrics: { series, granularity } }: { metrics: Metrics }) {
  const shared = { times: series.map(({ at }) => Date.parse(at)), granularity };
  const line = (name: string, colour: string, valueOf: (point: MetricPoint) => number | null) => ({
    name,
    colour,
    values: series.map(valueOf),
  });
  return (
    <div className="grid gap-x-8 gap-y-6 px-4 pt-6 xl:grid-cols-2">
      <Chart
        {...shared}
        label="Runs"
        kind="stacked"
        unit="count"
        series={[
          line('Passed', '--passed', ({ succeeded }) => succeeded),
          line('Failed', '--failed', ({ failed }) => failed),
          line('Other', '--line-strong', ({ runs, succeeded, failed }) => runs - succeeded - failed),
        ]}
      />
      <Chart
        {...shared}
        label="Duration"
        kind="lines"
        unit="duration"
        series={[
          line('p50', '--accent', ({ durationP50Ms }) => durationP50Ms),
          line('p95', '--waiting', ({ durationP95Ms }) => durationP95Ms),
        ]}
      />
      <Chart
        {...shared}
        label="Queue time"
        kind="lines"
        unit="duration"
        series={[
          line('p50', '--accent', ({ queueP50Ms }) => queueP50Ms),
          line('p95', '--waiting', ({ queueP95Ms }) => queueP95Ms),
        ]}
      />
      <Chart
        {...shared}
        label="Billable minutes"
        kind="stacked"
        unit="count"
        series={[line('Minutes', '--accent', ({ billableMinutes }) => billableMinutes)]}
      />
    </div>
  );
}
