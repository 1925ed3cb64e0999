import type { StreamPosition } from '#contract/monitoring.ts';
import type { Tx } from '#platform/database/database.ts';
import { findChanges, listPositions } from './store.ts';

/** Where an integration's stream is, read in the transaction of the list that it belongs to. */
export async function readStreamPosition(tx: Tx, integrationId: string): Promise<StreamPosition> {
  const [row] = await listPositions(tx, [integrationId]);
  return { epoch: row?.epoch ?? '', seq: Number(row?.seq ?? 0) };
}

/** Another text after each transaction that stored events of the integration, read in the snapshot of `tx`. */
export async function readStreamChanges(tx: Tx, integrationId: string): Promise<string> {
  return (await findChanges(tx, integrationId)) ?? '';
}
