import type { Incident } from '#contract/alerts/incidents.ts';
import type { IncidentRow } from './incident-list-store.ts';

/** An incident in the shape of the API and of notifications. `redMs` is null while it is open. */
export function incidentObject(
  row: IncidentRow,
): Omit<Incident, 'status' | 'closedByRunId' | 'redMs'> & { redMs: number | null } {
  const openedAt = new Date(row.opened_at);
  const closedAt = row.closed_at === null ? null : new Date(row.closed_at);
  return {
    incidentId: row.incident_id,
    repository: row.repository,
    workflow: row.workflow,
    branch: row.branch,
    failedRuns: row.failed_runs,
    failedJobs: row.failed_jobs,
    firstFailure: row.first_failure,
    lastFailure: row.last_failure,
    openedAt: openedAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
    redMs: closedAt === null ? null : closedAt.getTime() - openedAt.getTime(),
  };
}
