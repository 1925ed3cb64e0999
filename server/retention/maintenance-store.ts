import type { Tx } from '#platform/database/database.ts';

export async function listIntegrationIds(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>('select all_integration_ids() as id');
  return rows.map(({ id }) => id);
}
