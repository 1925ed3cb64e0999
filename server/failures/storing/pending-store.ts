import type { Tx } from '#platform/database/database.ts';

/** A failed job whose reason is not stored. */
export interface PendingFailure {
  runId: number;
  attempt: number;
  jobId: number;
}

export async function insertPending(
  tx: Tx,
  failures: readonly (PendingFailure & { integrationId: string })[],
): Promise<void> {
  await tx.query({
    name: 'insert-pending-failures',
    text: `insert into pending_failures (group_id, run_id, attempt, job_id)
           select * from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[]) on conflict do nothing`,
    values: [
      failures.map(({ integrationId }) => integrationId),
      failures.map(({ runId }) => runId),
      failures.map(({ attempt }) => attempt),
      failures.map(({ jobId }) => jobId),
    ],
  });
}

export async function listPendingIntegrations(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ group_id: string }>('select distinct group_id from pending_failures');
  return rows.map((row) => row.group_id);
}

/** Removes the oldest pending failures and returns them. */
export async function takePending(tx: Tx, integrationId: string, most: number): Promise<PendingFailure[]> {
  const { rows } = await tx.query<{ run_id: string; attempt: number; job_id: string }>({
    name: 'take-pending-failures',
    text: `delete from pending_failures p where p.group_id = $1 and p.ctid = any (array(
             select o.ctid from pending_failures o where o.group_id = $1
             order by o.noted_at limit $2 for update skip locked))
           returning p.run_id, p.attempt, p.job_id`,
    values: [integrationId, most],
  });
  return rows.map((row) => ({
    runId: Number(row.run_id),
    attempt: row.attempt,
    jobId: Number(row.job_id),
  }));
}

/** The jobs of an attempt whose reason is pending. */
export async function listPendingJobs(
  tx: Tx,
  integrationId: string,
  runId: number,
  attempt: number,
): Promise<Set<number>> {
  const { rows } = await tx.query<{ job_id: string }>(
    'select job_id from pending_failures where group_id = $1 and run_id = $2 and attempt = $3',
    [integrationId, runId, attempt],
  );
  return new Set(rows.map((row) => Number(row.job_id)));
}
