import type { RunOrder } from '#contract/runs/run-filter.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';

/** The position of a run in the list. */
export type RunKey = Pick<WorkflowRun, 'createdAt' | 'runId'> & Partial<Pick<WorkflowRun, 'completedAt'>>;

/** Newest first, like the server. Times have one fixed format and compare as text. */
export function compareRuns(a: RunKey, b: RunKey, order: RunOrder = 'createdAt'): number {
  const [timeOfA, timeOfB] = [a[order] ?? '', b[order] ?? ''];
  if (timeOfA !== timeOfB) return timeOfA < timeOfB ? 1 : -1;
  return b.runId - a.runId;
}

/** Index of the first run at or after `key`. */
export function positionOf(runs: readonly RunKey[], key: RunKey, order?: RunOrder): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRuns(runs[middle]!, key, order) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the first run after `key`; 0 without a key. */
export function positionAfter(
  runs: readonly RunKey[],
  key: RunKey | undefined,
  order: RunOrder = 'createdAt',
): number {
  if (key === undefined) return 0;
  const at = positionOf(runs, key, order);
  return runs[at]?.runId === key.runId && runs[at][order] === key[order] ? at + 1 : at;
}
