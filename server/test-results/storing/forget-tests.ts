import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { deleteOldTests } from './forget-store.ts';

/** Days are small and show trends, so they are kept for a year at least. */
const keptDays = 365;

/** Failures and reports go with the deliveries, days and tests that no report names any more after a year. */
export function forgetTests(
  tx: Tx,
  integrationId: string,
  now: number,
  retentionDays: number,
): Promise<number> {
  const before = new Date(now - retentionDays * dayMs);
  const daysBefore = new Date(now - Math.max(keptDays, retentionDays) * dayMs);
  return deleteOldTests(tx, integrationId, { before, daysBefore, most: 500 });
}
