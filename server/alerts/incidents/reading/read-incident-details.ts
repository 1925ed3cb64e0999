import type { Incident } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import { readFailingJobs } from '#server/failures/run-failures/read-failing-jobs.ts';
import type { IncidentRow } from './incident-list-store.ts';
import { findIncidentStarts } from '../incident-start-store.ts';

/** What broke, and since which commit. */
export type IncidentDetail = Pick<Incident, 'failing' | 'firstBad' | 'lastGreen'>;

/** Of the open ones of these incidents. The caller bounds their number. */
export async function readIncidentDetails(
  tx: Tx,
  integrationId: string,
  incidents: readonly IncidentRow[],
): Promise<Map<string, IncidentDetail>> {
  const open = incidents.filter((incident) => incident.closed_at === null);
  const [starts, failing] = await Promise.all([
    findIncidentStarts(
      tx,
      integrationId,
      open.map((incident) => incident.incident_id),
    ),
    readFailingJobs(
      tx,
      integrationId,
      open.map((incident) => incident.last_failure),
    ),
  ]);
  return new Map(
    open.map(({ incident_id: id, last_failure: { runId } }) => [
      id,
      { firstBad: null, lastGreen: null, ...starts.get(id), failing: failing.get(runId) ?? null },
    ]),
  );
}
