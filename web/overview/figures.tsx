import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { joinValues } from '#contract/base/value-list.ts';
import type { Overview, OverviewRange } from '#contract/metrics/overview.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, periodOf } from '../runs/period.ts';
import { formatMeasured } from '../ui/time/format-duration.ts';
import { changeOf } from '../ui/change.ts';
import { Figure } from '../ui/figure.tsx';
import { formatNumber, formatPercent } from '../ui/locale.ts';

const waitingStatuses = joinValues(['queued', 'requested', 'waiting', 'pending']);
const daysOf = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const satisfies Record<OverviewRange, number>;

/** The key figures, each with its change. */
export function Figures({ integrationId, overview }: { integrationId: string; overview: Overview }) {
  const { runs, successRate, durationP95Ms, queueP95Ms, failingWorkflows, runningNow } = overview;
  const period = periodOf(overview);
  const failed = overview.series.reduce((sum, point) => sum + point.failed, 0);
  const [ran, failing] = [runs.value ?? 0, failingWorkflows.value ?? 0];
  const metrics = (children: string, more: { hash?: string; 'data-workflows'?: number } = {}): ReactNode => (
    <Link
      to="/integrations/$integrationId/metrics"
      params={{ integrationId }}
      search={{ days: daysOf[overview.range] }}
      className="hover:underline"
      {...more}
    >
      {children}
    </Link>
  );
  const runsLink = (count: number, filter: RunFilter, text = formatNumber(count)): ReactNode => (
    <RunsLink integrationId={integrationId} count={count} filter={filter}>
      {text}
    </RunsLink>
  );
  return (
    <dl
      aria-label="Numbers"
      className="grid grid-cols-2 border-line sm:grid-cols-3 xl:grid-cols-6 xl:border-b [&>div]:border-line max-xl:[&>div]:border-b"
    >
      <Figure name="Runs" value={runsLink(ran, period)} change={changeOf(runs, 'amount', 'neither')} />
      <Figure
        name="Success rate"
        value={formatPercent(successRate.value)}
        change={changeOf(successRate, 'rate', 'more')}
        note={failed > 0 && runsLink(failed, { ...period, ...failedOnly }, `${formatNumber(failed)} failed`)}
      />
      <Figure
        name="Duration p95"
        value={metrics(duration(durationP95Ms.value))}
        change={changeOf(durationP95Ms, 'amount', 'less')}
      />
      <Figure
        name="Queue time p95"
        value={metrics(duration(queueP95Ms.value))}
        change={changeOf(queueP95Ms, 'amount', 'less')}
      />
      <Figure
        name="Workflows that failed"
        value={metrics(formatNumber(failing), { hash: 'failed-workflows', 'data-workflows': failing })}
        change={changeOf(failingWorkflows, 'amount', 'less')}
      />
      <Figure
        name="Running now"
        value={runsLink(runningNow.running, { status: 'in_progress' })}
        note={runsLink(
          runningNow.waiting,
          { status: waitingStatuses },
          `${formatNumber(runningNow.waiting)} waiting`,
        )}
      />
    </dl>
  );
}

const duration = (ms: number | null): string => (ms === null ? '–' : formatMeasured(ms));
