import type { Tx } from '#platform/database/database.ts';

export interface WorkflowBranchRow {
  repository: string;
  workflow_name: string | null;
  head_branch: string | null;
  head_repository: string | null;
  on_default_branch: boolean;
  runs: number;
}

/** Lists each workflow and branch of the newest runs once, with the number of runs. */
export function listWorkflowBranches(
  tx: Tx,
  integrationId: string,
  mostRuns: number,
): Promise<WorkflowBranchRow[]> {
  return tx.rows<WorkflowBranchRow>(
    `select repository, workflow_name, head_branch, head_repository, on_default_branch, count(*)::int as runs
     from (select repository, workflow_name, head_branch, head_repository, on_default_branch from workflow_runs
           where integration_id = $1 order by created_at desc, run_id desc limit $2) newest
     group by 1, 2, 3, 4, 5 order by 1, 2 nulls last, 3 nulls last, 4`,
    [integrationId, mostRuns],
  );
}
