import type { RunMark } from '#contract/metrics/overview.ts';
import { isOver, statusOf } from './run-status.ts';

export type RunEnd = 'failed' | 'passed' | 'neither' | 'open';

/** How a run ended, in the classes of the metrics: runs that ask for an action count as failed. */
export function endOf(run: Pick<RunMark, 'status' | 'conclusion'>): RunEnd {
  if (!isOver(run)) return 'open';
  const { tone } = statusOf(run);
  if (tone === 'passed') return 'passed';
  return tone === 'idle' ? 'neither' : 'failed';
}
