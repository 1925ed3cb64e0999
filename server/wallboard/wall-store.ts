import { maxTiles, type WallFilter } from '#contract/integrations/wallboard.ts';
import { splitValues } from '#contract/base/value-list.ts';
import type { Tx } from '#platform/database/database.ts';

export interface WallRun {
  repository: string;
  workflow: string;
  runId: number;
  runNumber: number | null;
  status: string;
  conclusion: string | null;
  title: string | null;
  actor: string | null;
  errorLine: string | null;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
}

/** Workflows that are looked at. */
const maxWorkflows = 500;
/** Of each workflow. */
const runsOfTile = 30;

/**
 * The newest runs on the default branch of each workflow that the filter selects, newest first. Walks the index from one
 * workflow to the next, so the time does not depend on the number of runs.
 */
export function listWallRuns(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: WallFilter,
): Promise<WallRun[]> {
  return tx.rows<WallRun>({
    name: 'list-wall-runs',
    text: `with recursive keys as (
             (select w.workflow_key, 1 as n from workflow_runs w where w.integration_id = $1 and w.on_default_branch
              order by w.workflow_key limit 1)
             union all
             select (select w.workflow_key from workflow_runs w
                     where w.integration_id = $1 and w.on_default_branch and w.workflow_key > k.workflow_key
                     order by w.workflow_key limit 1), k.n + 1
             from keys k where k.workflow_key is not null and k.n < ${maxWorkflows}
           ), chosen as (
             select k.workflow_key from keys k
             cross join lateral (
               select repository, workflow_name, created_at from workflow_runs w
               where w.integration_id = $1 and w.on_default_branch and w.workflow_key = k.workflow_key
               order by w.created_at desc, w.run_id desc limit 1) newest
             where ($2::text[] is null or newest.repository = any ($2))
               and ($3::text[] is null or coalesce(newest.workflow_name, '') = any ($3))
             order by newest.created_at desc limit ${maxTiles}
           )
           select r.* from chosen c
           cross join lateral (
             select repository, coalesce(workflow_name, '') as workflow, run_id::float8 as "runId",
               run_number::float8 as "runNumber", status, conclusion, title, actor, error_line as "errorLine",
               created_at as "createdAt", started_at as "startedAt", completed_at as "completedAt"
             from workflow_runs w
             where w.integration_id = $1 and w.on_default_branch and w.workflow_key = c.workflow_key
             order by w.created_at desc, w.run_id desc limit ${runsOfTile}) r`,
    values: [
      integrationId,
      repository === undefined ? null : splitValues(repository),
      workflow === undefined ? null : splitValues(workflow),
    ],
  });
}

export async function findLabel(tx: Tx, integrationId: string): Promise<string> {
  const label = await tx.value<string>('select label from integrations where integration_id = $1', [
    integrationId,
  ]);
  return label ?? '';
}
