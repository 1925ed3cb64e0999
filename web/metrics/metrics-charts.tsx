import type { Metrics } from '#contract/metrics/metrics.ts';
import { Chart } from '../ui/chart/chart.tsx';

/** The time series, each as a chart with a table. */
export function MetricsCharts({ metrics: { series, granularity } }: { metrics: Metrics }) {
  const shared = { times: series.map(({ at }) => Date.parse(at)), granularity };
  return (
    <div className="grid gap-x-8 gap-y-6 px-4 pt-6 xl:grid-cols-2">
      <section aria-labelledby="metric-runs">
        <h2 id="metric-runs" className="pb-2 text-base font-semibold">
          Runs
        </h2>
        <Chart
          {...shared}
          label="Runs"
          kind="stacked"
          unit="count"
          series={[
            { name: 'Passed', colour: '--passed', values: series.map(({ succeeded }) => succeeded) },
            { name: 'Failed', colour: '--failed', values: series.map(({ failed }) => failed) },
            {
              name: 'Other',
              colour: '--line-strong',
              values: series.map(({ runs, succeeded, failed }) => runs - succeeded - failed),
            },
          ]}
        />
      </section>
      <section aria-labelledby="metric-duration">
        <h2 id="metric-duration" className="pb-2 text-base font-semibold">
          Duration
        </h2>
        <Chart
          {...shared}
          label="Duration"
          kind="lines"
          unit="duration"
          series={[
            { name: 'p50', colour: '--accent', values: series.map(({ durationP50Ms }) => durationP50Ms) },
            { name: 'p95', colour: '--waiting', values: series.map(({ durationP95Ms }) => durationP95Ms) },
          ]}
        />
      </section>
      <section aria-labelledby="metric-queue">
        <h2 id="metric-queue" className="pb-2 text-base font-semibold">
          Queue time
        </h2>
        <Chart
          {...shared}
          label="Queue time"
          kind="lines"
          unit="duration"
          series={[
            { name: 'p50', colour: '--accent', values: series.map(({ queueP50Ms }) => queueP50Ms) },
            { name: 'p95', colour: '--waiting', values: series.map(({ queueP95Ms }) => queueP95Ms) },
          ]}
        />
      </section>
      <section aria-labelledby="metric-minutes">
        <h2 id="metric-minutes" className="pb-2 text-base font-semibold">
          Billable minutes
        </h2>
        <Chart
          {...shared}
          label="Billable minutes"
          kind="stacked"
          unit="count"
          series={[
            {
              name: 'Minutes',
              colour: '--accent',
              values: series.map(({ billableMinutes }) => billableMinutes),
            },
          ]}
        />
      </section>
    </div>
  );
}
