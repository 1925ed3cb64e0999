import { failedConclusions } from '#contract/runs/conclusions.ts';
import type { Failure } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { literals } from '#platform/database/rows/literals.ts';
import { branchKey } from '../branches/branch-keys.ts';
import type { OpenIncident } from './incident-reducer.ts';
import type { IncidentRow } from './reading/incident-list-store.ts';
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

/** Failures that an incident counts no longer. */
export async function deleteFailures(
  tx: Tx,
  integrationId: string,
  failures: readonly { incidentId: string; completion: Completion }[],
): Promise<void> {
  if (failures.length === 0) return;
  await tx.query(
    `delete from incident_failures f
     using unnest($2::uuid[], $3::bigint[], $4::integer[], $5::bigint[]) c (incident_id, run_id, attempt, job_id)
     where f.integration_id = $1 and f.incident_id = c.incident_id and f.run_id = c.run_id and f.attempt = c.attempt
       and f.job_id = c.job_id`,
    [integrationId, ...failureKeys(failures)],
  );
}

/** An incident that has lost some of its failures, with the first and last of the others as far as they are kept. */
export interface ReducedIncident extends Pick<
  IncidentRow,
  | 'incident_id'
  | 'repository'
  | 'workflow'
  | 'branch'
  | 'failed_runs'
  | 'failed_jobs'
  | 'first_failure'
  | 'last_failure'
> {
  removed: Failure[];
  earliest: Failure | null;
  latest: Failure | null;
}

/** Removes attempts of runs and their failed jobs from the incidents that count them, also from closed ones. */
export function removeCountedRuns(
  tx: Tx,
  integrationId: string,
  attempts: readonly { runId: number; attempt: number }[],
): Promise<ReducedIncident[]> {
  return tx.rows<ReducedIncident>(
    `with gone as (
       delete from incident_failures f using unnest($2::bigint[], $3::integer[]) c (run_id, attempt)
       where f.integration_id = $1 and f.run_id = c.run_id and f.attempt = c.attempt
         and (f.job_id = 0 and f.failure ->> 'conclusion' <> 'superseded'
           or f.failure ->> 'conclusion' in ${literals(failedConclusions)})
       returning f.incident_id, f.run_id, f.attempt, f.job_id, f.failure),
     reduced as (select incident_id, array_agg(failure) as removed from gone group by incident_id)
     select i.incident_id, i.repository, i.workflow, i.branch, i.failed_runs, i.failed_jobs, i.first_failure, i.last_failure,
            r.removed, l.earliest, l.latest
     from reduced r
     join incidents i on i.integration_id = $1 and i.incident_id = r.incident_id
     cross join lateral (
       select (array_agg(f.failure order by f.failure ->> 'at'))[1] as earliest,
              (array_agg(f.failure order by f.failure ->> 'at' desc))[1] as latest
       from incident_failures f
       where f.integration_id = $1 and f.incident_id = r.incident_id and not exists (
         select from gone g where g.incident_id = f.incident_id and (g.run_id, g.attempt, g.job_id) = (f.run_id, f.attempt, f.job_id))) l`,
    [integrationId, ...columnsOf(attempts, 'runId', 'attempt')],
  );
}

/** Without `figures`, it counts nothing: it is closed as one that never was. */
export async function updateReduced(
  tx: Tx,
  integrationId: string,
  incidentId: string,
  figures: { first: Failure; last: Failure; failedRuns: number; failedJobs: number } | undefined,
): Promise<void> {
  if (figures === undefined)
    await tx.query(
      `update incidents set failed_runs = 0, failed_jobs = 0, closed_at = opened_at, closed_by_run_id = null, close_reason = 'superseded',
         version = version + 1
       where integration_id = $1 and incident_id = $2`,
      [integrationId, incidentId],
    );
  else
    await tx.query(
      `update incidents set failed_runs = $3, failed_jobs = $4, first_failure = $5, last_failure = $6, opened_at = $7
       where integration_id = $1 and incident_id = $2`,
      [
        integrationId,
        incidentId,
        figures.failedRuns,
        figures.failedJobs,
        figures.first,
        figures.last,
        new Date(figures.first.at),
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
      ...failureKeys(failures),
      failures.map(({ completion }) => failureOf(completion)),
    ],
  });
}

function failureKeys(failures: readonly { incidentId: string; completion: Completion }[]): unknown[][] {
  return [
    failures.map(({ incidentId }) => incidentId),
    failures.map(({ completion }) => completion.runId),
    failures.map(({ completion }) => completion.attempt),
    failures.map(({ completion }) => completion.jobId ?? 0),
  ];
}
