import type { Tx } from '#platform/database/database.ts';
import { fullNameOf } from '#server/runs/names/stored-full-name.ts';
import type { ForgeTask } from './task-store.ts';

export interface UnfinishedRun {
  run_id: string;
  repository: string;
  default_branch: string | null;
  times: number;
}

/** How many completed runs are searched for unfinished jobs, newest first. */
const endedRuns = { days: 7, most: 20_000 };

/**
 * Runs of the installation's repositories that are unfinished, or have an unfinished job, that received no update for
 * `silentMs`, and whose next check is due.
 */
export function listUnfinishedRuns(
  tx: Tx,
  { integrationId, installationId }: Pick<ForgeTask, 'integrationId' | 'installationId'>,
  { silentMs, most }: { silentMs: number; most: number },
): Promise<UnfinishedRun[]> {
  return tx.rows<UnfinishedRun>(
    `with ended as materialized (
       select run_id, repository, created_at, updated_at, completed_at from workflow_runs
       where integration_id = $1 and created_at > now() - make_interval(days => ${endedRuns.days})
         and completed_at is not null
       order by created_at desc limit ${endedRuns.most}),
     unfinished as materialized (
       select run_id, repository, created_at from workflow_runs
       where integration_id = $1 and completed_at is null
         and greatest(created_at, updated_at) < now() - make_interval(secs => $3 / 1000.0)
       union all
       select e.run_id, e.repository, e.created_at from ended e cross join lateral (
         select from workflow_jobs j
         where j.integration_id = $1 and j.run_id = e.run_id and j.completed_at is null limit 1) job
       where greatest(e.updated_at, e.completed_at) < now() - make_interval(secs => $3 / 1000.0))
     select u.run_id::text, l.repository, l.default_branch, coalesce(c.times, 0) as times
     from unfinished u
       join linked_repositories l on l.integration_id = $1 and l.installation_id is not distinct from $2 
         and l.repository = ${fullNameOf('$1', 'u.repository')}
         and l.is_chosen
       left join run_checks c on c.integration_id = $1 and c.run_id = u.run_id
     where c.next_at is null or c.next_at <= now()
     order by u.created_at desc limit $4`,
    [integrationId, installationId, silentMs, most],
  );
}

/** Schedules the next check. Undefined `waitMs` means never. */
export async function upsertCheck(
  tx: Tx,
  integrationId: string,
  runId: string,
  waitMs: number | undefined,
): Promise<void> {
  await tx.query(
    `insert into run_checks as c (integration_id, run_id, times, next_at)
     values ($1, $2, 1, coalesce(now() + make_interval(secs => $3 / 1000.0), 'infinity'))
     on conflict (integration_id, run_id) do update set times = c.times + 1, next_at = excluded.next_at`,
    [integrationId, runId, waitMs ?? null],
  );
}

/** Deletes the checks of runs that completed with all their jobs, or were deleted. */
export async function deleteFinishedChecks(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(
    `delete from run_checks c where c.integration_id = $1 and not exists (
       select from workflow_runs r where r.integration_id = $1 and r.run_id = c.run_id and (
         r.completed_at is null or exists (
           select from workflow_jobs j where j.integration_id = $1 and j.run_id = c.run_id and j.completed_at is null)))`,
    [integrationId],
  );
}
