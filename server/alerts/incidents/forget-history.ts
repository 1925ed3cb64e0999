import type { Tx } from '#platform/database/database.ts';
import { deleteOldHistory } from './reading/incident-list-store.ts';
import { incidentLimits, limitIncidents } from './limit-incidents.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** Applies to every integration, also to those without enabled rules. Returns the number of deleted rows. */
export async function forgetHistory(
  tx: Tx,
  integrationId: string,
  now: number,
  { keepDays }: Pick<AlertPolicy, 'keepDays'>,
  limits = incidentLimits,
): Promise<number> {
  const old = await deleteOldHistory(tx, integrationId, new Date(now - keepDays * dayMs));
  return old + (await limitIncidents(tx, integrationId, limits));
}
