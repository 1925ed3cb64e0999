import type { Tx } from '#platform/database/database.ts';
import type { Duty } from './duty-store.ts';

export interface UnfinishedRun {
  run_id: string;
  repository: string;
  default_branch: string | null;
  times: number;
}

/** Runs of the installation's repositories that nobody has heard of for `silentMs`, and whose next check is due. */
export async function listUnfinishedRuns(
  tx: Tx,
  { integrationId, installationId }: Duty,
  { silentMs, most }: { silentMs: number; most: number },
): Promise<UnfinishedRun[]> {
  const { rows } = await tx.query<UnfinishedRun>(
    `select r.run_id::text, r.repository, l.default_branch, coalesce(c.times, 0) as times
     from workflow_runs r
       join linked_repositories l on l.integration_id = $1 and l.installation_id = $2 and l.repository = r.repository
       left join run_checks c on c.integration_id = $1 and c.run_id = r.run_id
     where r.integration_id = $1 and r.completed_at is null
       and greatest(r.created_at, r.updated_at) < now() - make_interval(secs => $3 / 1000.0)
       and (c.next_at is null or c.next_at <= now())
     order by r.created_at desc limit $4`,
    [integrationId, installationId, silentMs, most],
  );
  return rows;
}

/** `waitMs` undefined: never again. */
export async function keepCheck(
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

/** Checks of runs that have ended, or are forgotten. */
export async function forgetChecks(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(
    `delete from run_checks c where c.integration_id = $1 and not exists (
       select from workflow_runs r where r.integration_id = $1 and r.run_id = c.run_id and r.completed_at is null)`,
    [integrationId],
  );
}
