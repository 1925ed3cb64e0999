import type { Tx } from '#platform/database/database.ts';

export interface Removal {
  integrationId: string;
  /** False when only deliveries are left, which arrived after the removal. There may be newer sample data. */
  hasRows: boolean;
}

/** Integrations whose sample data is being removed, or with deliveries of removed sample data. */
export const anyRemoval = 'select from sample_data where is_removing or has_leftovers';

export function listRemovals(tx: Tx): Promise<Removal[]> {
  return tx.rows<Removal>(
    `select group_id as "integrationId", is_removing as "hasRows" from sample_data where is_removing or has_leftovers`,
  );
}

/** Deletes dead letters of removed sample data. */
export async function deleteDeadLetters(tx: Tx, most: number): Promise<number> {
  const { rows } = await tx.query<{ gone: string }>('select delete_sample_dead_letters($1) as gone', [most]);
  return Number(rows[0]?.gone ?? 0);
}

/**
 * Ends the removal. Returns false when the queue still has deliveries of removed sample data. The caller has locked the stream of the
 * integration, so that no batch finds more of them at the same time.
 */
export function endRemoval(tx: Tx, integrationId: string): Promise<boolean> {
  return tx.some(
    `update sample_data set is_present = is_present and not is_removing, is_removing = false, has_leftovers = false
     where group_id = $1 and not has_removed_samples()`,
    [integrationId],
  );
}

/** Open screens read their incidents and pull requests again. Runs have a stream of their own. */
export async function announceDeleted(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_notify('incidents_changed', $1), pg_notify('pull_requests_changed', $1)`, [
    integrationId,
  ]);
}
