import type { Tx } from '#platform/database/database.ts';

/** The number of incidents beyond `most`, at most `atOnce`. */
export async function countExcessIncidents(
  tx: Tx,
  integrationId: string,
  most: number,
  atOnce: number,
): Promise<number> {
  const count = await tx.value<number>(
    `select count(*)::int as count from (
       select from incidents where integration_id = $1 offset $2 limit $3) i`,
    [integrationId, most, atOnce],
  );
  return count ?? 0;
}

/** Deletes the incidents that were opened first, closed ones before open ones, with their notifications. */
export async function deleteOldestIncidents(tx: Tx, integrationId: string, count: number): Promise<void> {
  await tx.query(
    `delete from incidents where integration_id = $1 and incident_id = any (array(
       select incident_id from incidents where integration_id = $1
       order by closed_at is null, opened_at, incident_id limit $2))`,
    [integrationId, count],
  );
}

/** Keeps the newest failures of each open incident. Returns the number of deleted rows. */
export function deleteOldestFailures(tx: Tx, integrationId: string, most: number): Promise<number> {
  return tx.execute(
    `delete from incident_failures f using (
       select i.incident_id, last.run_id, last.attempt, last.job_id
       from incidents i cross join lateral (
         select x.run_id, x.attempt, x.job_id from incident_failures x
         where x.integration_id = $1 and x.incident_id = i.incident_id
         order by x.run_id desc, x.attempt desc, x.job_id desc offset $2 limit 1) last
       where i.integration_id = $1 and i.closed_at is null and i.failed_runs + i.failed_jobs > $2) o
     where f.integration_id = $1 and f.incident_id = o.incident_id
       and (f.run_id, f.attempt, f.job_id) <= (o.run_id, o.attempt, o.job_id)`,
    [integrationId, most],
  );
}
