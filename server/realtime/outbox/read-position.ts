import type { StreamPosition } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { countChange, findChanges, listPositions } from '../store.ts';

/** The position of an integration's stream. Read it in the transaction that reads the list. */
export async function readStreamPosition(tx: Tx, integrationId: string): Promise<StreamPosition> {
  const [row] = await listPositions(tx, [integrationId]);
  return { epoch: row?.epoch ?? '', seq: Number(row?.seq ?? 0) };
}

/** A text that changes with each transaction that stores events of the integration, in the snapshot of `tx`. */
export async function readStreamChanges(tx: Tx, integrationId: string): Promise<string> {
  return (await findChanges(tx, integrationId)) ?? '';
}

/** A change without an update for sockets, on which cached answers depend. */
export function countStreamChange(tx: Tx, integrationId: string): Promise<void> {
  return countChange(tx, integrationId);
}
