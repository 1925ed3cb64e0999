import type { Tx } from '#platform/database/database.ts';
import { branchKey } from '../branches/branch-keys.ts';
import type { OpenIncident } from './incident-reducer.ts';
import { failureOf, type Completion } from '#server/alerts/rules/matching-rules.ts';

export interface IncidentEnd {
  closedAt: Date;
  byRunId: number;
}

/** Inserts or updates the incident. `end` closes it. */
export async function saveIncident(
  tx: Tx,
  integrationId: string,
  incident: OpenIncident,
  end: IncidentEnd | undefined,
): Promise<void> {
  const { first, last } = incident;
  await tx.query(
    `insert into incidents (integration_id, incident_id, branch_key, repository, workflow, branch, opened_at, closed_at,
       closed_by_run_id, failed_runs, failed_jobs, first_failure, last_failure, close_reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict (integration_id, incident_id) do update set
       opened_at = excluded.opened_at, closed_at = excluded.closed_at, closed_by_run_id = excluded.closed_by_run_id,
       failed_runs = excluded.failed_runs, failed_jobs = excluded.failed_jobs, first_failure = excluded.first_failure,
       last_failure = excluded.last_failure, close_reason = excluded.close_reason`,
    [
      integrationId,
      incident.incidentId,
      branchKey(first),
      first.repository,
      first.workflow,
      first.branch,
      new Date(first.at),
      end?.closedAt ?? null,
      end?.byRunId ?? null,
      incident.failedRuns,
      incident.failedJobs,
      failureOf(first),
      failureOf(last),
      end === undefined ? null : 'recovered',
    ],
  );
}

export async function insertFailures(
  tx: Tx,
  integrationId: string,
  failures: readonly { incidentId: string; completion: Completion }[],
): Promise<void> {
  if (failures.length === 0) return;
  await tx.query({
    name: 'insert-incident-failures',
    text: `insert into incident_failures (integration_id, incident_id, run_id, attempt, job_id, failure)
           select $1, * from unnest($2::uuid[], $3::bigint[], $4::integer[], $5::bigint[], $6::jsonb[])
           on conflict do nothing`,
    values: [
      integrationId,
      failures.map(({ incidentId }) => incidentId),
      failures.map(({ completion }) => completion.runId),
      failures.map(({ completion }) => completion.attempt),
      failures.map(({ completion }) => completion.jobId ?? 0),
      failures.map(({ completion }) => failureOf(completion)),
    ],
  });
}
