import type { Database } from '#platform/database/database.ts';
import { deleteOutcomes } from './store.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

const rowsAtOnce = 5000;

/** What became of messages is forgotten with them. Returns how many rows; 0 when there are no more. */
export async function forgetOutcomes(
  db: Database,
  integrationId: string,
  now: number,
  retentionDays: number,
): Promise<number> {
  return db.withScope({ integrationId }, (tx) =>
    deleteOutcomes(tx, integrationId, new Date(now - retentionDays * dayMs), rowsAtOnce),
  );
}
