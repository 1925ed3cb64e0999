import type { Tx } from '#platform/database/database.ts';
import { addDailyEntry } from '#server/event-log/add-entry.ts';
import { countExcessIncidents, deleteOldestFailures, deleteOldestIncidents } from './incident-limit-store.ts';

/** Of an integration, and of each open incident. Workflows on thousands of branches, or red for months, must not fill the database. */
export const incidentLimits = { incidents: 20_000, failures: 1_000 };
export type IncidentLimits = typeof incidentLimits;

const atOnce = 1_000;

/** Deletes incidents and counted failures beyond the limits, oldest first. Returns the number of rows. */
export async function limitIncidents(
  tx: Tx,
  integrationId: string,
  { incidents, failures }: IncidentLimits,
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
