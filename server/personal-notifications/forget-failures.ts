import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { deleteOldFailures } from './recipient-store.ts';

/** Forgets failures of branches that were not repaired, as incidents are forgotten. Returns the number of rows. */
export function forgetUnrepaired(tx: Tx, integrationId: string, now: number): Promise<number> {
  const before = new Date(now - alertPolicy.keepDays * dayMs);
  return deleteOldFailures(tx, integrationId, before);
}
