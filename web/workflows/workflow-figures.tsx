import type { MetricNumbers, Metrics } from '#contract/metrics/metrics.ts';
import type { FigureLinks } from '../metrics/figure-links.tsx';
import { failedOnly } from '../runs/period.ts';
import { changeOf, type Change } from '../ui/change.ts';
import { Figure } from '../ui/figure.tsx';
import { formatNumber, formatPercent } from '../ui/locale.ts';
import { formatMeasured } from '../ui/time/format-duration.ts';

/** The health of the workflow in the period, each figure with its change. */
export function WorkflowFigures({ metrics, links }: { metrics: Metrics; links: FigureLinks }) {
  const { total, previousTotal } = metrics;
  const change = (
    valueOf: (numbers: MetricNumbers) => number | null,
    kind: 'rate' | 'amount',
    better: 'more' | 'less' | 'neither',
  ): Change | undefined =>
    changeOf(
      { value: valueOf(total), previous: previousTotal === null ? null : valueOf(previousTotal) },
      kind,
      better,
    );
  return (
    <dl
      aria-label="Numbers"
      className="grid grid-cols-2 border-line sm:grid-cols-3 xl:grid-cols-6 xl:border-b [&>div]:border-line max-xl:[&>div]:border-b"
    >
      <Figure
        name="Runs"
        value={links.counted(total.runs, {})}
        change={change(({ runs }) => runs, 'amount', 'neither')}
      />
      <Figure
        name="Success rate"
        value={formatPercent(total.successRate)}
        change={change(({ successRate }) => successRate, 'rate', 'more')}
        note={links.counted(total.failed, failedOnly, `${formatNumber(total.failed)} failed`)}
      />
      <Figure
        name="Duration p50"
        value={formatMs(total.durationP50Ms)}
        change={change(({ durationP50Ms }) => durationP50Ms, 'amount', 'less')}
        note={`p95 ${formatMs(total.durationP95Ms)}`}
      />
      <Figure
        name="Queue time p50"
        value={formatMs(total.queueP50Ms)}
        change={change(({ queueP50Ms }) => queueP50Ms, 'amount', 'less')}
        note={`p95 ${formatMs(total.queueP95Ms)}`}
      />
      <Figure
        name="Passed only on a re-run"
        value={formatPercent(recoveredShare(total))}
        change={change(recoveredShare, 'rate', 'less')}
        note={links.counted(
          total.recovered,
          { attempt: 'later', conclusion: 'success' },
          total.recovered === 1 ? '1 run' : `${formatNumber(total.recovered)} runs`,
        )}
      />
      <Figure
        name="Billable minutes"
        value={links.ofMinutes(total.billableMinutes)}
        change={change(({ billableMinutes }) => billableMinutes, 'amount', 'less')}
      />
    </dl>
  );
}

/** Of the runs that passed or failed. */
function recoveredShare({ recovered, succeeded, failed }: MetricNumbers): number | null {
  return succeeded + failed === 0 ? null : recovered / (succeeded + failed);
}

const formatMs = (ms: number | null): string => (ms === null ? '–' : formatMeasured(ms));
