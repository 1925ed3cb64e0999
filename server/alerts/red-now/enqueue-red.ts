import { isRed } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { insertForRule, listRedRuns, noRule } from '#server/alerts/evaluation/completion-store.ts';
import { readWorkflowStates, type StateSelection } from '#server/runs/latest/workflow-states.ts';

/**
 * Lets incidents open for default branches that became known as red without a new event: history was imported, a workflow is shown
 * again, or the branch became the default branch again. All failures since they became red count, and no rule notifies about them. `only` are the workflows in question; default: all.
 */
export async function enqueueRed(
  tx: Tx,
  integrationId: string,
  only: Pick<StateSelection, 'names' | 'repositories'> = {},
): Promise<void> {
  const states = await readWorkflowStates(tx, integrationId, only);
  const red = states.flatMap(({ repository, workflow, last }) =>
    last !== null && isRed(last.conclusion)
      ? [{ repository, workflow, branch: last.branch, runId: last.runId, attempt: last.attempt, jobId: null }]
      : [],
  );
  if (red.length === 0) return;
  const earlier = await listRedRuns(tx, integrationId, red);
  await insertForRule(tx, integrationId, noRule, [...red, ...earlier]);
}
