import type { Tx } from '#platform/database/database.ts';
import type { WorkflowName } from '#server/runs/latest/workflow-states.ts';

/** What runs now on the default branch, and how long it takes. */
export interface WallTimes {
  runId: number | null;
  startedAt: Date | null;
  /** The median of successful runs. */
  expectedMs: number | null;
}

/** Of each workflow. */
const runsOfTile = 30;

/** In the order of `workflows`. */
export function listWallTimes(
  tx: Tx,
  integrationId: string,
  workflows: readonly WorkflowName[],
): Promise<WallTimes[]> {
  return tx.rows<WallTimes>({
    name: 'list-wall-times',
    // `offset 0` computes the keys first: with row-level security, a function in the condition would prevent the index scan.
    text: `select open.run_id::float8 as "runId", open.started_at as "startedAt", usual.ms as "expectedMs"
           from (
             select n.n, hashtextextended(n.workflow, hashtextextended(n.repository, 0)) as key
             from unnest($2::text[], $3::text[]) with ordinality n (repository, workflow, n) offset 0) k
           cross join lateral (
             select array(
               select w.run_id from workflow_runs w
               where w.integration_id = $1 and w.on_default_branch and w.workflow_key = k.key
               order by w.created_at desc, w.run_id desc limit ${runsOfTile}) as run_ids) scanned
           left join lateral (
             select w.run_id, coalesce(w.started_at, w.created_at) as started_at from workflow_runs w
             where w.integration_id = $1 and w.run_id = any (scanned.run_ids) and w.status <> 'completed'
             order by w.created_at desc, w.run_id desc limit 1) open on true
           cross join lateral (
             select percentile_disc(0.5) within group (order by
               greatest(0, round(extract(epoch from w.completed_at - w.started_at) * 1000)))::float8 as ms
             from workflow_runs w
             where w.integration_id = $1 and w.run_id = any (scanned.run_ids) and w.conclusion = 'success'
               and w.started_at is not null and w.completed_at is not null) usual
           order by k.n`,
    values: [
      integrationId,
      workflows.map(({ repository }) => repository),
      workflows.map(({ workflow }) => workflow),
    ],
  });
}
