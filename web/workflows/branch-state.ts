import type { WorkflowRun, WorkflowRunPage } from '#contract/runs/runs.ts';
import { endOf } from '../runs/run-end.ts';

/** Whether a workflow passes on the default branch. */
export interface BranchState {
  end: 'passed' | 'failed';
  /** The newest run that passed or failed. */
  newest: WorkflowRun;
  /** The first run after the last one with the other result, as far as the list reaches. */
  first: WorkflowRun;
  runs: number;
  /** False when older runs, which are not in the list, may have the same result. */
  isStartKnown: boolean;
}

/** The state after the newest run that passed or failed. Undefined without such a run. The runs are the newest first. */
export function branchState({
  items: runs,
  nextCursor,
}: Pick<WorkflowRunPage, 'items' | 'nextCursor'>): BranchState | undefined {
  const ended = runs.flatMap((run) => {
    const end = endOf(run);
    return end === 'passed' || end === 'failed' ? [{ run, end }] : [];
  });
  const [newest] = ended;
  if (newest === undefined) return undefined;
  const other = ended.findIndex(({ end }) => end !== newest.end);
  const same = other === -1 ? ended : ended.slice(0, other);
  return {
    end: newest.end,
    newest: newest.run,
    first: same.at(-1)!.run,
    runs: same.length,
    isStartKnown: other !== -1 || nextCursor === null,
  };
}
