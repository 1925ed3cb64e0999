import type { IncidentFacts } from '#contract/alerts/incident-payloads.ts';
import type { IncidentRow } from './incident-list-store.ts';

/** What a notification reads of an incident. */
export type FactColumns = Pick<
  IncidentRow,
  | 'incident_id'
  | 'kind'
  | 'subject'
  | 'repository'
  | 'workflow'
  | 'branch'
  | 'opened_at'
  | 'closed_at'
  | 'failed_runs'
  | 'failed_jobs'
  | 'first_failure'
  | 'last_failure'
>;

/** The facts of an incident for the API and notifications. */
export function incidentObject(row: FactColumns): IncidentFacts {
  const openedAt = new Date(row.opened_at);
  const closedAt = row.closed_at === null ? null : new Date(row.closed_at);
  return {
    incidentId: row.incident_id,
    kind: row.kind,
    subject: row.subject,
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

/** SQL: whether tests in quarantine closed the incident. Its note is the end of the quarantine; no other recovery has a note. */
export const isQuarantined = (incident: string): string =>
  `(${incident}.close_reason = 'recovered' and ${incident}.close_note is not null)`;
