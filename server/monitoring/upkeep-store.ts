import type { Tx } from '#platform/database/database.ts';

export async function listIntegrationIds(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>('select all_integration_ids() as id');
  return rows.map(({ id }) => id);
}

/** Runs created before, oldest first. */
export async function listRunsBefore(
  tx: Tx,
  integrationId: string,
  before: Date,
  most: number,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    text: `select run_id::text as id from workflow_runs
           where integration_id = $1 and created_at < $2 order by created_at, run_id limit ${most}`,
    values: [integrationId, before],
  });
  return rows.map(({ id }) => id);
}

/** With their attempts and jobs; what they counted for stays. */
export async function deleteRuns(tx: Tx, integrationId: string, runIds: readonly string[]): Promise<void> {
  const tables = ['workflow_jobs', 'workflow_run_attempts', 'workflow_runs'];
  await Promise.all(
    tables.map((table) =>
      tx.query(`delete from ${table} where integration_id = $1 and run_id = any ($2::bigint[])`, [
        integrationId,
        runIds,
      ]),
    ),
  );
}
