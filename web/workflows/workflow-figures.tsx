import type { MetricNumbers, Metrics } from '#contract/metrics/metrics.ts';
import type { FigureLinks } from '../metrics/figure-links.tsx';
import { failedOnly } from '../runs/period.ts';
import { changeOf } from '../ui/change.ts';
import { Figure, Figures } from '../ui/figure.tsx';
import { formatCount, formatNumber, formatPercent } from '../ui/locale.ts';
import { formatMeasured } from '../ui/time/format-duration.ts';

/** The health of the workflow in the period, each figure with its change. */
export function WorkflowFigures({
  metrics: { total, previousTotal: before },
  links,
}: {
  metrics: Metrics;
  links: FigureLinks;
}) {
  const { runs, successRate, failed, recovered, billableMinutes } = total;
  const { durationP50Ms, durationP95Ms, queueP50Ms, queueP95Ms } = total;
  const share = recoveredShare(total);
  return (
    <Figures>
      <Figure
        name="Runs"
        value={links.counted(runs, {})}
        change={changeOf(runs, before?.runs, 'amount', 'neither')}
      />
      <Figure
        name="Success rate"
        value={formatPercent(successRate)}
        change={changeOf(successRate, before?.successRate, 'rate', 'more')}
        note={
          <>
            {links.counted(failed, failedOnly, `${formatNumber(failed)} failed`)}{' '}
            {links.firstTry(total, (share) => `${share} first try`)}
          </>
        }
      />
      <Figure
        name="Duration p50"
        value={formatMeasured(durationP50Ms)}
        change={changeOf(durationP50Ms, before?.durationP50Ms, 'amount', 'less')}
        note={`p95 ${formatMeasured(durationP95Ms)}`}
      />
      <Figure
        name="Queue time p50"
        value={formatMeasured(queueP50Ms)}
        change={changeOf(queueP50Ms, before?.queueP50Ms, 'amount', 'less')}
        note={`p95 ${formatMeasured(queueP95Ms)}`}
      />
      <Figure
        name="Passed only on a re-run"
        value={formatPercent(share)}
        change={changeOf(share, before && recoveredShare(before), 'rate', 'less')}
        note={links.counted(
          recovered,
          { attempt: 'later', conclusion: 'success' },
          formatCount(recovered, 'run'),
        )}
      />
      <Figure
        name="Runner minutes"
        value={links.ofMinutes(billableMinutes)}
        change={changeOf(billableMinutes, before?.billableMinutes, 'amount', 'less')}
      />
    </Figures>
  );
}

/** Of the runs that passed or failed. */
function recoveredShare({ recovered, succeeded, failed }: MetricNumbers): number | null {
  return succeeded + failed === 0 ? null : recovered / (succeeded + failed);
}
