import type { Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { placeText } from '#server/alerts/notifications/content/log-entries.ts';
import { updateIntegrationsWithRules } from '#server/alerts/rules/rule-store.ts';
import { lockEvaluation } from '#server/alerts/evaluation/completion-store.ts';
import { announceIncidents, closeIncidentsAbout } from './incident-change-store.ts';

/** Lets the rules of the integration wait until the end of the transaction. */
export const lockIncidents = lockEvaluation;

/** Closes the open incidents of a workflow that a person hides. The caller holds the lock. */
export async function closeIncidentsOfWorkflow(
  tx: Tx,
  { integrationId, actorId }: { integrationId: string; actorId: string },
  { repository, workflow }: { repository: string; workflow: string },
  now: number,
): Promise<void> {
  const closed = await closeIncidentsAbout(tx, integrationId, {
    repository,
    workflow,
    closedBy: actorId,
    at: new Date(now),
  });
  if (closed.length === 0) return;
  await updateIntegrationsWithRules(tx, integrationId);
  for (const incident of closed)
    await addLogEntry(tx, {
      integrationId,
      actorId,
      type: 'incident.closed',
      title: `The incident of ${placeText(incident)} was closed, because its workflow was hidden`,
      details: { incidentId: incident.incident_id, repository, workflow, reason: 'hidden' },
    });
  await announceIncidents(tx, integrationId);
}
