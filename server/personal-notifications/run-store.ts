import type { Tx } from '#platform/database/database.ts';
import type { PendingRun } from './pending-store.ts';

export interface RunRow {
  repository: string;
  workflow: string | null;
  head_branch: string | null;
  head_repository: string | null;
  run_number: string | null;
  title: string | null;
  conclusion: string | null;
  actor: string | null;
  at: Date;
  /** A later run of the workflow on the branch succeeded. */
  is_over: boolean;
}

/** Runs of the branch that are searched for a later success. */
const maxScanned = 200;

/** Undefined when the run is gone or has a later attempt. */
export function findRun(tx: Tx, { integrationId, runId, attempt }: PendingRun): Promise<RunRow | undefined> {
  return tx.row<RunRow>(
    `select r.repository, coalesce(r.workflow_name, r.workflow_path) as workflow, r.head_branch, r.head_repository,
       r.run_number, r.title, r.conclusion, coalesce(r.triggering_actor, r.actor) as actor,
       coalesce(r.completed_at, r.updated_at, r.created_at) as at,
       exists (
         select from (
           select * from workflow_runs x where x.integration_id = $1 and x.branch_key = r.branch_key
             and x.created_at >= r.created_at order by x.created_at desc, x.run_id desc limit ${maxScanned}) n
         where n.run_id > r.run_id and n.conclusion = 'success' and n.repository = r.repository
           and n.head_branch = r.head_branch and n.workflow_name is not distinct from r.workflow_name
           and coalesce(n.head_repository, n.repository) = coalesce(r.head_repository, r.repository)) as is_over
     from workflow_runs r
     where r.integration_id = $1 and r.run_id = $2 and r.attempt = $3 and r.status = 'completed'`,
    [integrationId, runId, attempt],
  );
}
