import { Link } from '@tanstack/react-router';
import { joinValues } from '#contract/base/value-list.ts';
import { firstTryOnly } from '#contract/metrics/first-try.ts';
import { longestRunDays, type Overview, type OverviewRange } from '#contract/metrics/overview.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, periodOf } from '../runs/period.ts';
import { formatMeasured } from '../ui/time/format-duration.ts';
import { changeOf } from '../ui/change.ts';
import { Figure, Figures } from '../ui/figure.tsx';
import { formatNumber, formatPercent } from '../ui/locale.ts';

const waitingStatuses = joinValues(['queued', 'requested', 'waiting', 'pending']);
const daysOf = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const satisfies Record<OverviewRange, number>;

/** The key figures, each with its change. */
export function OverviewFigures({ overview }: { overview: Overview }) {
  const { range, runs, durationP95Ms, queueP95Ms, failingWorkflows, runningNow } = overview;
  const period = periodOf(overview);
  const from = new Date(Date.parse(overview.to) - longestRunDays * 86_400_000).toISOString();
  return (
    <Figures>
      <Figure
        name="Runs"
        value={<Count count={runs.value ?? 0} filter={period} />}
        change={changeOf(runs.comparable, runs.previous, 'amount', 'neither')}
      />
      <SuccessRate overview={overview} />
      <Figure
        name="Duration p95"
        value={<MetricsLink range={range}>{formatMeasured(durationP95Ms.value)}</MetricsLink>}
        change={changeOf(durationP95Ms.comparable, durationP95Ms.previous, 'amount', 'less')}
      />
      <Figure
        name="Queue time p95"
        value={<MetricsLink range={range}>{formatMeasured(queueP95Ms.value)}</MetricsLink>}
      />
      <Figure
        name="Workflows that failed"
        value={
          <MetricsLink range={range} hash="failed-workflows" data-workflows={failingWorkflows.value ?? 0}>
            {formatNumber(failingWorkflows.value ?? 0)}
          </MetricsLink>
        }
        change={changeOf(failingWorkflows.comparable, failingWorkflows.previous, 'amount', 'less')}
      />
      <Figure
        name="Running now"
        value={<Count count={runningNow.running} filter={{ status: 'in_progress', from }} />}
        note={<Count count={runningNow.waiting} filter={{ status: waitingStatuses, from }} word="waiting" />}
      />
    </Figures>
  );
}

function SuccessRate({ overview }: { overview: Overview }) {
  const { successRate, firstTryRate, firstTries, series } = overview;
  const period = periodOf(overview);
  const failed = series.reduce((sum, point) => sum + point.failed, 0);
  return (
    <Figure
      name="Success rate"
      value={formatPercent(successRate.value)}
      change={changeOf(successRate.comparable, successRate.previous, 'rate', 'more')}
      note={
        <>
          {failed > 0 && <Count count={failed} filter={{ ...period, ...failedOnly }} word="failed" />}
          {firstTryRate.value !== null && (
            <>
              {failed > 0 && ', '}
              <RunsLink count={firstTries} filter={{ ...period, ...firstTryOnly }}>
                {`${formatPercent(firstTryRate.value)} first try`}
              </RunsLink>
            </>
          )}
        </>
      }
    />
  );
}

/** A number of runs as a link to them. */
function Count({ count, filter, word = '' }: { count: number; filter: RunFilter; word?: string }) {
  return (
    <RunsLink count={count} filter={filter}>
      {`${formatNumber(count)} ${word}`}
    </RunsLink>
  );
}

/** A link to the metrics of the same period. */
function MetricsLink({
  range,
  ...rest
}: {
  range: OverviewRange;
  hash?: string;
  'data-workflows'?: number;
  children: string;
}) {
  const params = useIntegrationParams();
  return (
    <Link
      to="/integrations/$integrationId/metrics"
      params={params}
      search={{ days: daysOf[range] }}
      className="hover:underline"
      {...rest}
    />
  );
}
