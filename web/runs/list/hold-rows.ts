import type { RunOrder } from '#contract/runs/run-filter.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { compareRuns } from './run-order.ts';

export interface HeldRows {
  rows: readonly WorkflowRun[];
  /** Runs that would have entered between or above the rows. */
  heldBack: number;
  /** Ids of rows that are no longer in the list. They stay in place as they were. */
  left: ReadonlySet<number>;
}

/**
 * The rows while a person reads them: each stays in its place and shows its changes, new ones wait, and older ones that
 * are loaded follow at the end. Both lists are in the order of the list.
 */
export function holdRows(
  shown: readonly WorkflowRun[],
  current: readonly WorkflowRun[],
  order?: RunOrder,
): HeldRows {
  const rows: WorkflowRun[] = [];
  const left = new Set<number>();
  let heldBack = 0;
  let at = 0;
  for (const run of shown) {
    for (; at < current.length && compareRuns(current[at]!, run, order) < 0; at += 1) heldBack += 1;
    const now = current[at];
    if (now?.runId === run.runId) at += 1;
    else left.add(run.runId);
    rows.push(now?.runId === run.runId ? now : run);
  }
  // A run whose creation time was corrected is in both lists at different places.
  for (const run of current.slice(at)) if (!left.has(run.runId)) rows.push(run);
  return { rows, heldBack, left };
}
