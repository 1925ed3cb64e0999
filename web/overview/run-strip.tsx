import { useDeferredValue } from 'react';
import type { RunMark } from '#contract/metrics/overview.ts';
import { statusOf } from '../runs/run-status.ts';
import { endOf, type RunEnd } from '../runs/run-end.ts';

/** Height and fill also distinguish the bars, for people who do not see colours. */
const looks: Record<RunEnd, { name: string; look: string }> = {
  failed: { name: 'Failed', look: 'h-5 bg-failed' },
  passed: { name: 'Passed', look: 'h-3 bg-passed' },
  neither: { name: 'Other, for example cancelled', look: 'h-1 bg-idle' },
  open: { name: 'Not finished', look: 'h-3 border border-running' },
};

/**
 * The last runs as bars, the newest at the end, with a text for screen readers. An overview has hundreds of bars, so they are
 * drawn after its first picture, which keeps their place.
 */
export function RunStrip({ runs, workflow }: { runs: readonly RunMark[]; workflow: string }) {
  const words = runs.toReversed().map((run) => statusOf(run).word.toLowerCase());
  const drawn = useDeferredValue(runs, []);
  return (
    <span
      className="inline-flex h-5 items-end gap-[2px]"
      style={{ minWidth: `calc(${runs.length} * (0.25rem + 2px))` }}
    >
      <span className="sr-only">{`Last runs of ${workflow}: ${words.join(', ')}`}</span>
      {drawn.toReversed().map((run) => (
        <Bar
          key={run.runId}
          end={endOf(run)}
          title={`#${run.runNumber ?? run.runId} ${statusOf(run).word}`}
        />
      ))}
    </span>
  );
}

/** The legend of the bars. */
export function StripLegend() {
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-4 text-xs text-muted">
      {Object.entries(looks).map(([end, { name }]) => (
        <li key={end} className="inline-flex items-end gap-1.5">
          <Bar end={end as RunEnd} />
          {name}
        </li>
      ))}
    </ul>
  );
}

function Bar({ end, title }: { end: RunEnd; title?: string }) {
  return <span aria-hidden title={title} data-end={end} className={`w-1 rounded-[1px] ${looks[end].look}`} />;
}
