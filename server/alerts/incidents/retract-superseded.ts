import type { Failure } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import { placeText } from '#server/alerts/notifications/content/log-entries.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { ShownNames } from '#server/runs/names/shown-names.ts';
import { announceIncidents } from './incident-change-store.ts';
import { removeCountedRuns, updateReduced, type ReducedIncident } from './incident-store.ts';

/**
 * Takes runs and their jobs out of their incidents that were counted as failed before it was known that a newer run superseded them. The incident of
 * nothing else is closed: the branch was never red. The caller holds the lock of the evaluation.
 */
export async function retractSuperseded(
  tx: Tx,
  integrationId: string,
  completions: readonly Completion[],
  names: ShownNames,
): Promise<void> {
  const superseded = completions.filter(
    ({ event, conclusion }) => event === 'run' && conclusion === 'superseded',
  );
  if (superseded.length === 0) return;
  const reduced = await removeCountedRuns(tx, integrationId, superseded);
  if (reduced.length === 0) return;
  for (const incident of reduced) {
    const figures = figuresOf(incident);
    await updateReduced(tx, integrationId, incident.incident_id, figures);
    if (figures !== undefined) continue;
    const { incident_id: incidentId, repository, workflow, branch } = names.show(integrationId, incident);
    await addLogEntry(tx, {
      integrationId,
      type: 'incident.closed',
      title: `The incident of ${placeText({ repository, workflow, branch })} was closed, because a newer run superseded the failed one`,
      details: { incidentId, repository, workflow, branch, reason: 'superseded' },
    });
  }
  await announceIncidents(tx, integrationId);
}

/** Undefined if nothing is left. */
function figuresOf(incident: ReducedIncident): Parameters<typeof updateReduced>[3] {
  const { removed, earliest, latest, first_failure: first, last_failure: last } = incident;
  const removedJobs = removed.filter(({ jobId }) => jobId !== null).length;
  const failedRuns = Math.max(0, incident.failed_runs - (removed.length - removedJobs));
  const failedJobs = Math.max(0, incident.failed_jobs - removedJobs);
  if (failedRuns + failedJobs === 0) return undefined;
  const isRemoved = (failure: Failure): boolean =>
    removed.some(
      ({ runId, attempt, jobId }) =>
        failure.runId === runId && failure.attempt === attempt && failure.jobId === jobId,
    );
  return {
    failedRuns,
    failedJobs,
    first: isRemoved(first) && earliest !== null ? earliest : first,
    last: isRemoved(last) && latest !== null ? latest : last,
  };
}
