import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { columnList } from '#platform/database/rows/multi-row.ts';
import { selectRows } from '#platform/database/rows/select-rows.ts';
import { type AttemptRow, type RunRow, attemptTable, runTable } from './objects/run.ts';
import { type JobRow, jobTable } from './objects/job.ts';
import { type PullRequestRow, storedPullRequests } from './objects/pull-request.ts';

export async function findRunRow(tx: Tx, integrationId: string, runId: number): Promise<RunRow | undefined> {
  const rows = await selectRows(tx, runTable, {
    name: 'find-run',
    text: `select ${columnList(runTable)} from workflow_runs where integration_id = $1 and run_id = $2`,
    values: [integrationId, runId],
  });
  return rows[0];
}

/** Whether the repository has a run of the workflow. */
export function hasRun(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: { repository: string; workflow: string },
): Promise<boolean> {
  return tx.some(
    `select from workflow_runs where integration_id = $1
       and workflow_key = hashtextextended($3, hashtextextended($2, 0)) limit 1`,
    [integrationId, repository, workflow],
  );
}

export async function updateAskedRerun(
  tx: Tx,
  { integrationId, runId, after }: { integrationId: string; runId: number; after: number | null },
): Promise<void> {
  await tx.query({
    name: 'note-asked-rerun',
    text: `update workflow_runs set rerun_asked_after = $3 where integration_id = $1 and run_id = $2`,
    values: [integrationId, runId, after],
  });
}

export async function findRunRows(
  tx: Tx,
  keys: readonly Pick<RunRow, 'integrationId' | 'runId'>[],
): Promise<RunRow[]> {
  if (keys.length === 0) return [];
  return selectRows(tx, runTable, {
    name: 'find-runs',
    text: `select ${columnList(runTable, 'r.')} from unnest($1::uuid[], $2::bigint[]) k (integration_id, run_id)
           join workflow_runs r on r.integration_id = k.integration_id and r.run_id = k.run_id`,
    values: [keys.map((key) => key.integrationId), keys.map((key) => key.runId)],
  });
}

export async function findJobRows(
  tx: Tx,
  keys: readonly Pick<JobRow, 'integrationId' | 'runId' | 'attempt' | 'jobId'>[],
): Promise<JobRow[]> {
  if (keys.length === 0) return [];
  return selectRows(tx, jobTable, {
    name: 'find-jobs',
    text: `select ${columnList(jobTable, 'j.')}
           from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[]) k (integration_id, run_id, attempt, job_id)
           join workflow_jobs j on j.integration_id = k.integration_id and j.run_id = k.run_id
             and j.attempt = k.attempt and j.job_id = k.job_id`,
    values: columnsOf(keys, 'integrationId', 'runId', 'attempt', 'jobId'),
  });
}

/** Lists the attempts before the newest one, oldest first. */
export async function listAttemptRows(tx: Tx, integrationId: string, runId: number): Promise<AttemptRow[]> {
  return selectRows(tx, attemptTable, {
    name: 'list-attempts',
    text: `select ${columnList(attemptTable)} from workflow_run_attempts
           where integration_id = $1 and run_id = $2 order by attempt`,
    values: [integrationId, runId],
  });
}

export async function listJobRows(tx: Tx, integrationId: string, runId: number): Promise<JobRow[]> {
  return selectRows(tx, jobTable, {
    name: 'list-jobs',
    text: `select ${columnList(jobTable)} from workflow_jobs
           where integration_id = $1 and run_id = $2 order by attempt, created_at, job_id`,
    values: [integrationId, runId],
  });
}

/** Lists the pull requests that the run names. A run from a fork names none: then those with its head commit. */
export async function listPullRequestsOfRun(
  tx: Tx,
  integrationId: string,
  runId: number,
): Promise<PullRequestRow[]> {
  return selectRows(tx, storedPullRequests.table, {
    name: 'list-pull-requests-of-run',
    text: `with run as (select * from workflow_runs where integration_id = $1 and run_id = $2)
           select ${columnList(storedPullRequests.table, 'p.')} from run r
           join pull_requests p on p.integration_id = r.integration_id and p.repository = r.repository
             and p.number = any (r.pull_requests)
           union all
           select ${columnList(storedPullRequests.table, 'p.')} from run r
           join pull_requests p on p.integration_id = r.integration_id and p.repository = r.repository
             and p.head_sha = r.head_sha
           where r.pull_requests = '{}'
           order by number`,
    values: [integrationId, runId],
  });
}
