import type { Incident } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import { blameOf, readRedStreaks } from '#server/failures/blame/blame.ts';
import type { Blame } from '#contract/failures/blame.ts';
import type { IncidentRow } from './incident-list-store.ts';

/** What broke, and since which commit. */
export type IncidentDetail = Pick<Incident, 'failing' | keyof Blame>;

/** Nothing is said about the commits of a closed incident. */
export const noDetail: IncidentDetail = {
  failing: null,
  firstBad: null,
  candidates: [],
  noBlame: null,
  lastGreen: null,
  repositoryUrl: null,
};

/** Of the open ones of these incidents. The caller bounds their number. */
export async function readIncidentDetails(
  tx: Tx,
  integrationId: string,
  incidents: readonly IncidentRow[],
): Promise<Map<string, IncidentDetail>> {
  const open = incidents.filter((incident) => incident.closed_at === null);
  const streaks = await readRedStreaks(
    tx,
    integrationId,
    open.map((incident) => incident.last_failure.runId),
  );
  return new Map(
    open.map(({ incident_id: id, last_failure: { runId } }) => {
      const streak = streaks.get(runId);
      return [id, streak === undefined ? noDetail : { failing: streak.failing, ...blameOf(streak) }];
    }),
  );
}
