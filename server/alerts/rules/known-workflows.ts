import type { KnownWorkflow, KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import type { Tx } from '#platform/database/database.ts';
import { listWorkflowBranches } from './known-workflow-store.ts';
import { branchOf } from '#contract/runs/merge-group.ts';

/** Enough to know the current workflows, at a cost that does not grow with history. */
const mostRuns = 2000;

/** The workflows of the newest runs with their branches, named as in rules. */
export async function readKnownWorkflows(
  tx: Tx,
  integrationId: string,
  lookAt = mostRuns,
): Promise<KnownWorkflows> {
  const rows = await listWorkflowBranches(tx, integrationId, lookAt);
  const known = new Map<string, KnownWorkflow>();
  for (const row of rows) {
    const { repository, workflow_name: workflow } = row;
    const key = JSON.stringify([repository, workflow]);
    const one = known.get(key) ?? { repository, workflow, branches: [], defaultBranches: [] };
    known.set(key, one);
    const branch = branchOf(row.head_branch, row.head_repository, repository);
    if (!one.branches.includes(branch)) one.branches.push(branch);
    if (row.on_default_branch && !one.defaultBranches.includes(branch)) one.defaultBranches.push(branch);
  }
  return { items: [...known.values()], counted: rows.reduce((sum, { runs }) => sum + runs, 0) };
}
