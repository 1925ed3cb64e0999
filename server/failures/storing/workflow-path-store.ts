import type { WorkflowJob } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';

/** The file of a job's workflow, from the newest stored run of the workflow. For jobs whose own run is not stored. */
export async function findWorkflowPath(
  tx: Tx,
  integrationId: string,
  { repository, workflowName }: Pick<WorkflowJob, 'repository' | 'workflowName'>,
): Promise<string | null> {
  if (workflowName === null) return null;
  const workflow_path = await tx.value<string | null>({
    name: 'find-workflow-path',
    text: `select workflow_path from workflow_runs
           where integration_id = $1 and workflow_key = hashtextextended($3, hashtextextended($2, 0))
             and repository = $2 and workflow_name = $3
           order by created_at desc, run_id desc limit 1`,
    values: [integrationId, repository, workflowName],
  });
  return workflow_path ?? null;
}
