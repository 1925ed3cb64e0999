import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { deleteOldRanges } from '../commits/commit-range-store.ts';
import { deleteOldFailures } from './reason-store.ts';

const rowsAtOnce = 5000;

/** A group with a status that somebody set is kept longer, so that a flaky job is not forgotten after a quiet month. */
const markedDays = 365;

/** Deletes reasons with their excerpts and commits after the retention of deliveries, and groups after their last failure. */
export async function forgetFailures(
  tx: Tx,
  integrationId: string,
  now: number,
  retentionDays: number,
): Promise<number> {
  const before = new Date(now - retentionDays * dayMs);
  const markedBefore = new Date(now - Math.max(retentionDays, markedDays) * dayMs);
  const ranges = await deleteOldRanges(tx, integrationId, before);
  return ranges + (await deleteOldFailures(tx, integrationId, { before, markedBefore, most: rowsAtOnce }));
}
