import { longestRunDays } from '#contract/metrics/overview.ts';
import { longestGroupName } from '#contract/metrics/metrics.ts';
import { longestWaitHours, maxOpenJobs } from '#contract/metrics/queue.ts';
import type { Tx } from '#platform/database/database.ts';
import { endOfAttempt, openJobState, type OpenJobState } from '#server/runs/open-runs.ts';

export interface OpenJobRow {
  repository: string;
  workflow: string;
  runId: number;
  attempt: number;
  jobId: number;
  name: string;
  /** All labels as one text, as in rollups. */
  runner: string;
  runnerId: string | null;
  runnerName: string | null;
  state: OpenJobState;
  createdAt: Date;
  startedAt: Date | null;
}

/**
 * The newest jobs that wait or run. A job whose last event was lost ends with its attempt, and at the latest when no forge would let
 * it wait or run any longer.
 */
export async function listOpenJobs(
  tx: Tx,
  integrationId: string,
  now: number,
): Promise<{ jobs: OpenJobRow[]; isCut: boolean }> {
  const rows = await tx.rows<OpenJobRow & { scanned: number }>({
    name: 'list-open-jobs',
    text: `select j.repository, coalesce(j.workflow_name, '') as workflow, j.run_id::float8 as "runId", j.attempt,
             j.job_id::float8 as "jobId", j.name, left(array_to_string(j.labels, ', '), ${longestGroupName}) as runner,
             j.runner_id::text as "runnerId", j.runner_name as "runnerName", ${openJobState('j')} as state,
             j.created_at as "createdAt", j.started_at as "startedAt", j.scanned
           from (
             select w.*, (count(*) over ())::int as scanned from (
               select * from workflow_jobs w
               where w.integration_id = $1 and w.completed_at is null
                 and w.created_at > $2::timestamptz - interval '${longestRunDays} days'
               order by w.created_at desc limit ${maxOpenJobs}) w) j
           left join workflow_runs r on r.integration_id = $1 and r.run_id = j.run_id
           left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = j.run_id and a.attempt = j.attempt
           where j.status <> 'completed' and ${endOfAttempt({ job: 'j', run: 'r', attempt: 'a' })} is null
             and (${openJobState('j')} <> 'waiting'
               or j.created_at > $2::timestamptz - interval '${longestWaitHours} hours')`,
    values: [integrationId, new Date(now).toISOString()],
  });
  return { jobs: rows, isCut: (rows[0]?.scanned ?? 0) >= maxOpenJobs };
}
