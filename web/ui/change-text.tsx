import type { Change } from './change.ts';

const tones = { better: 'text-passed', worse: 'text-failed', same: 'text-muted' } as const;

/** The change of a figure. Nothing when there is nothing to compare. */
export function ChangeText({ change }: { change: Change | undefined }) {
  if (change === undefined) return null;
  return (
    <span className={`ml-2 text-xs whitespace-nowrap ${tones[change.tone]}`}>
      {change.text}
      <span className="sr-only"> compared with the previous period</span>
    </span>
  );
}
