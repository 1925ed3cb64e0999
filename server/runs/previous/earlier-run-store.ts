import type { EarlierRun } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { decidedAttempts, joinResult } from '#server/runs/latest/stored-result.ts';

export interface EarlierRunRow extends Omit<EarlierRun, 'conclusion' | 'createdAt'> {
  conclusion: string | null;
  createdAt: Date;
  /** Another workflow may have run on the branch. */
  isSameWorkflow: boolean;
}

/** The default branch has an index by workflow, other branches have few runs. */
const before = (isOfBranch: string, isAsked: string): string => `
  select * from workflow_runs w where ${isAsked} and w.integration_id = $1 and ${isOfBranch}
    and (w.created_at, w.run_id) < (r.created_at, r.run_id)
  order by w.created_at desc, w.run_id desc limit $3`;

/** The last `limit` runs of the branch before a run, newest first, as of its end; on the default branch those of the workflow. */
export function listEarlierRuns(
  tx: Tx,
  integrationId: string,
  runId: number,
  limit: number,
): Promise<EarlierRunRow[]> {
  return tx.rows<EarlierRunRow>({
    name: 'list-earlier-runs',
    text: `select e.run_id::float8 as "runId", e.run_number::float8 as "runNumber", result.conclusion, e.head_sha as "headSha",
             coalesce(e.actor, e.triggering_actor) as actor, e.created_at as "createdAt",
             e.repository = r.repository and e.head_branch is not distinct from r.head_branch
               and e.workflow_name is not distinct from r.workflow_name
               and coalesce(e.head_repository, e.repository) = coalesce(r.head_repository, r.repository) as "isSameWorkflow"
           from (
             select *, coalesce((select max(d.completed_at) from (${decidedAttempts('w')}) d), completed_at, 'infinity') as known_until
             from workflow_runs w where w.integration_id = $1 and w.run_id = $2) r
           cross join lateral (
             (${before('w.on_default_branch and w.workflow_key = r.workflow_key', 'r.on_default_branch')})
             union all
             (${before('w.branch_key = r.branch_key', 'not r.on_default_branch')})) e
           ${joinResult('e', `coalesce(completed_at, '-infinity') <= r.known_until`)}
           order by e.created_at desc, e.run_id desc`,
    values: [integrationId, runId, limit],
  });
}
