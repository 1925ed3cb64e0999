import type { Tx } from '#platform/database/database.ts';

export function listIntegrationIds(tx: Tx): Promise<string[]> {
  return tx.column<string>('select all_integration_ids() as id');
}
