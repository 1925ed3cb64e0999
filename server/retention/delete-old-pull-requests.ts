import { dayMs } from '#platform/runtime/time-units.ts';
import type { DeleteOldRunsDeps } from './delete-old-runs.ts';
import { deletePullRequests } from './delete-old-runs-store.ts';

/** Pull requests and reviews of each kind per transaction: takes tens of milliseconds. */
const rowsAtOnce = 500;

/**
 * Deletes pull requests and reviews that were not changed within the retention of runs. Returns their number: 0 when none are left. One that is
 * changed later is stored again.
 */
export async function deleteOldPullRequests(
  { db, lock, clock, runRetentionDays }: DeleteOldRunsDeps,
  integrationId: string,
): Promise<number> {
  if (runRetentionDays === undefined) return 0;
  const before = new Date(clock() - runRetentionDays * dayMs);
  return db.withScope({ integrationId }, async (tx) => {
    await lock(tx, [integrationId]);
    return deletePullRequests(tx, integrationId, before, rowsAtOnce);
  });
}
