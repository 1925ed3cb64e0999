import type { Failure, Incident } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import { isQuarantined } from '#server/alerts/incidents/reading/incident-object.ts';

export interface FeedIncident extends Pick<Incident, 'kind' | 'subject' | 'closeReason'> {
  incidentId: string;
  /** Equal for incidents about the same thing. */
  key: string;
  /** What did not happen, for kinds other than `failure`. */
  evidence: string | null;
  /** The last failure, or what shows the change. */
  lastFailure: Pick<Failure, 'runId' | 'attempt' | 'testId'>;
  repository: string;
  workflow: string | null;
  branch: string | null;
  failedRuns: number;
  failedJobs: number;
  openedAt: Date;
  closedAt: Date | null;
  /** Of the last failure, or of the recovery. */
  updatedAt: Date;
}

/** Newest first. */
export function listFeedIncidents(tx: Tx, integrationId: string, limit: number): Promise<FeedIncident[]> {
  return tx.rows<FeedIncident>(
    `select incident_id as "incidentId", encode(branch_key, 'hex') as key, kind, subject,
       case when ${isQuarantined('incidents')} then 'quarantined' else close_reason end as "closeReason",
       last_failure ->> 'name' as evidence, last_failure as "lastFailure", repository, workflow, branch, failed_runs as "failedRuns",
       failed_jobs as "failedJobs", opened_at as "openedAt", closed_at as "closedAt",
       coalesce(closed_at, (last_failure ->> 'at')::timestamptz, opened_at) as "updatedAt"
     from incidents where integration_id = $1 order by opened_at desc, incident_id desc limit $2`,
    [integrationId, limit],
  );
}

/** The integration as the head of its feed. */
export async function findFeedHead(
  tx: Tx,
  integrationId: string,
): Promise<{ label: string; createdAt: Date }> {
  const head = await tx.row<{ label: string; createdAt: Date }>({
    text: 'select label, created_at as "createdAt" from integrations where integration_id = $1',
    values: [integrationId],
  });
  return head ?? { label: '', createdAt: new Date(0) };
}
