import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';

/** A completed run. */
export interface CompletedRun {
  integrationId: string;
  runId: number;
  attempt: number;
  /** Who started the attempt. */
  actor: string | null;
  isGreen: boolean;
}

/**
 * Stores failed runs whose actor wants mails, and successful ones of integrations in which somebody waits for a recovery. Whether the
 * person is a member is checked later.
 */
export async function insertPendingRuns(tx: Tx, runs: readonly CompletedRun[]): Promise<void> {
  await tx.query({
    name: 'insert-pending-personal-runs',
    text: `insert into pending_personal_runs (group_id, run_id, attempt)
           select group_id, run_id, attempt
           from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::text[], $5::boolean[])
             as c (group_id, run_id, attempt, actor, is_green)
           where is_green and exists (select from personal_failures f where f.integration_id = c.group_id)
             or not is_green and exists (
               select from users u join personal_notifications p on p.user_id = u.user_id and p.enabled
               where lower(u.forge_login) = lower(c.actor))
           on conflict do nothing`,
    values: columnsOf(runs, 'integrationId', 'runId', 'attempt', 'actor', 'isGreen'),
  });
}

export interface PendingRun {
  integrationId: string;
  runId: number;
  attempt: number;
}

/** Leases runs that are due. */
/** What `claimPendingRuns` finds. */
export const dueRuns = 'select from pending_personal_runs where due_at <= now()';

export function claimPendingRuns(tx: Tx, most: number, leaseMs: number): Promise<PendingRun[]> {
  return tx.rows<PendingRun>({
    name: 'claim-pending-personal-runs',
    text: `update pending_personal_runs c set due_at = now() + $2 * interval '1 ms'
           from (select group_id, run_id, attempt from pending_personal_runs where due_at <= now()
                 order by due_at limit $1 for update skip locked) d
           where c.group_id = d.group_id and c.run_id = d.run_id and c.attempt = d.attempt
           returning c.group_id as "integrationId", c.run_id::float8 as "runId", c.attempt`,
    values: [most, leaseMs],
  });
}

const key = 'group_id = $1 and run_id = $2 and attempt = $3';

export async function deletePendingRun(tx: Tx, { integrationId, runId, attempt }: PendingRun): Promise<void> {
  await tx.query(`delete from pending_personal_runs where ${key}`, [integrationId, runId, attempt]);
}

export async function postpone(
  tx: Tx,
  { integrationId, runId, attempt }: PendingRun,
  byMs: number,
): Promise<void> {
  await tx.query(`update pending_personal_runs set due_at = now() + $4 * interval '1 ms' where ${key}`, [
    integrationId,
    runId,
    attempt,
    byMs,
  ]);
}
