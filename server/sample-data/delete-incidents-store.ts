import type { Tx } from '#platform/database/database.ts';
import { sumOf, type Portion } from './delete-rows-store.ts';
import { sampleIdsFrom, sampleRepositories } from './sample-repositories.ts';

/** Waits for the evaluation of rules, which could otherwise open an incident of a run that is deleted. */
export async function lockEvaluation(tx: Tx, integrationId: string): Promise<void> {
  // The lock of `lockEvaluation` in server/alerts/evaluation/completion-store.ts.
  await tx.query("select pg_advisory_xact_lock(hashtextextended('alerts ' || $1::text, 0))", [integrationId]);
}

/** Deletes incidents with their notifications, also those that are not sent yet: their tasks end when they are due. */
export async function deleteIncidents(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(
    `select incident_id as id from incidents where integration_id = $1 and repository = any ($2) limit $3`,
    [integrationId, sampleRepositories, most],
  );
  if (rows.length === 0) return 0;
  const values = [integrationId, rows.map(({ id }) => id)];
  await tx.query(
    `delete from event_log where integration_id = $1 and actor_id is null and details ->> 'incidentId' = any ($2::text[])`,
    values,
  );
  await tx.query(
    'delete from incidents where integration_id = $1 and incident_id = any ($2::uuid[])',
    values,
  );
  return rows.length;
}

/**
 * What rules and mails remember of the newest run of a branch or job. When a branch ended stays in `branch_ends` until the retention: it is a
 * hash and a time, and concerns no later run.
 */
export async function deleteBranchStates(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  const tables = ['branch_successes', 'job_successes', 'personal_failures'];
  const deleted = await Promise.all(
    tables.map((table) =>
      tx.query(
        `delete from ${table} where integration_id = $1 and ctid = any (array(
           select ctid from ${table} where integration_id = $1 and run_id >= $2 limit $3))`,
        [integrationId, sampleIdsFrom, most],
      ),
    ),
  );
  return sumOf(deleted);
}
