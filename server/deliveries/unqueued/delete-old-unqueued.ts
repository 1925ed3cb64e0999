import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { deleteUnqueued } from './unqueued-store.ts';

const rowsAtOnce = 5000;

/** Per integration and reason. */
const maxKept = 1000;

/** Deletes old deliveries that were not queued, by age and by number. Returns how many. */
export function deleteOldUnqueued(
  tx: Tx,
  integrationId: string,
  now: number,
  retentionDays: number,
): Promise<number> {
  const before = new Date(now - retentionDays * dayMs);
  return deleteUnqueued(tx, integrationId, before, maxKept, rowsAtOnce);
}
