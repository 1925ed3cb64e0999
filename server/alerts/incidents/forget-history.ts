import type { Tx } from '#platform/database/database.ts';
import { deleteOldHistory } from './reading/incident-list-store.ts';
import { addDailyEntry } from '#server/event-log/add-entry.ts';
import { countExcessIncidents, deleteOldestFailures, deleteOldestIncidents } from './incident-limit-store.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** Of an integration, and of each open incident. Workflows on thousands of branches, or red for months, must not fill the database. */
const incidentLimits = { incidents: 20_000, failures: 1_000 };

const atOnce = 1_000;

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

/** Deletes incidents and counted failures beyond the limits, oldest first. Returns the number of rows. */
async function limitIncidents(
  tx: Tx,
  integrationId: string,
  { incidents, failures }: typeof incidentLimits,
): Promise<number> {
  const excess = await countExcessIncidents(tx, integrationId, incidents, atOnce);
  if (excess > 0) {
    await deleteOldestIncidents(tx, integrationId, excess);
    await addDailyEntry(tx, {
      integrationId,
      type: 'incident.removed',
      severity: 'warning',
      title: `There are more than ${incidents.toLocaleString('en-US')} incidents. The oldest are removed.`,
      details: { removed: excess },
    });
  }
  return excess + (await deleteOldestFailures(tx, integrationId, failures));
}
