import type { Overview } from '#contract/metrics/overview.ts';
import { formatDuration } from '../ui/time/format-duration.ts';
import { changeOf, type Change } from './change.ts';

const tones = { better: 'text-passed', worse: 'text-failed', same: 'text-muted' } as const;

/** The key figures, each with its change. */
export function Figures({ overview }: { overview: Overview }) {
  const { runs, successRate, durationP95Ms, queueP95Ms, failingWorkflows, runningNow } = overview;
  return (
    <dl
      aria-label="Numbers"
      className="grid grid-cols-2 border-b border-line sm:grid-cols-3 xl:grid-cols-6 [&>div]:border-line max-xl:[&>div]:border-b"
    >
      <Figure
        name="Runs"
        value={runs.value?.toLocaleString() ?? '0'}
        change={changeOf(runs, 'amount', 'neither')}
      />
      <Figure
        name="Success rate"
        value={successRate.value === null ? '–' : `${(successRate.value * 100).toFixed(1)} %`}
        change={changeOf(successRate, 'rate', 'more')}
      />
      <Figure
        name="Duration p95"
        value={duration(durationP95Ms.value)}
        change={changeOf(durationP95Ms, 'amount', 'less')}
      />
      <Figure
        name="Queue time p95"
        value={duration(queueP95Ms.value)}
        change={changeOf(queueP95Ms, 'amount', 'less')}
      />
      <Figure
        name="Workflows that failed"
        value={String(failingWorkflows.value ?? 0)}
        change={changeOf(failingWorkflows, 'amount', 'less')}
      />
      <Figure name="Running now" value={String(runningNow.running)} note={`${runningNow.waiting} waiting`} />
    </dl>
  );
}

function Figure({
  name,
  value,
  change,
  note,
}: {
  name: string;
  value: string;
  change?: Change | undefined;
  note?: string;
}) {
  return (
    <div className="px-4 py-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd>
        <span className="text-lg font-semibold">{value}</span>
        {change && (
          <span className={`ml-2 text-xs whitespace-nowrap ${tones[change.tone]}`}>
            {change.text}
            <span className="sr-only"> compared with the previous period</span>
          </span>
        )}
        {note !== undefined && <span className="ml-2 text-xs text-muted">{note}</span>}
      </dd>
    </div>
  );
}

const duration = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms));
