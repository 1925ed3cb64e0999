import { branchOfRun } from '#server/runs/objects/branch-of-run.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { columnList, type Table } from '#platform/database/rows/multi-row.ts';
import { selectRows } from '#platform/database/rows/select-rows.ts';
import { jobTable, type JobRow } from '#server/runs/objects/job.ts';
import { attemptTable, runTable, type RunRow } from '#server/runs/objects/run.ts';
import { hasOwnFailure, isNewerRun } from '#server/runs/objects/superseding-run.ts';
import type { AttemptFacts } from './settled-conclusion.ts';

/** An attempt of a run. */
export interface AttemptId {
  runId: number;
  attempt: number;
}

/** SQL: the conclusions of an attempt that may say less than its jobs. */
const unsettled = `('failure', 'cancelled')`;

/** Of failed attempts those whose known jobs did not fail on their own. Without any job the run could not start. */
export async function insertOfRuns(
  tx: Tx,
  runs: readonly (AttemptId & { integrationId: string; conclusion: string | null })[],
): Promise<void> {
  await tx.query({
    name: 'insert-pending-conclusions',
    text: `insert into pending_conclusions (group_id, run_id, attempt)
           select c.group_id, c.run_id, c.attempt
           from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::text[]) as c (group_id, run_id, attempt, conclusion)
           cross join lateral (
             select count(*) > 0 as has_jobs, ${hasOwnFailure('j')} as has_own_failure
             from workflow_jobs j where j.integration_id = c.group_id and j.run_id = c.run_id and j.attempt = c.attempt) j
           where c.conclusion = 'cancelled' or c.conclusion = 'failure' and j.has_jobs and not j.has_own_failure
           on conflict do nothing`,
    values: columnsOf(runs, 'integrationId', 'runId', 'attempt', 'conclusion'),
  });
}

/** Runs that one of the next ten may have superseded. */
const mostBefore = 10;

/** Runs before these that ended after these began, and that nothing else explains: the newer run may be reported later than their end. */
export async function insertOfNewer(
  tx: Tx,
  runs: readonly { integrationId: string; runId: number }[],
): Promise<void> {
  await tx.query({
    name: 'insert-pending-conclusions-of-newer',
    text: `insert into pending_conclusions (group_id, run_id, attempt)
           select distinct c.group_id, r.run_id, r.attempt
           from unnest($1::uuid[], $2::bigint[]) as c (group_id, run_id)
           join workflow_runs n on n.integration_id = c.group_id and n.run_id = c.run_id
           cross join lateral (
             select * from workflow_runs w
             where w.integration_id = c.group_id and w.workflow_key = n.workflow_key
               and (w.created_at, w.run_id) < (n.created_at, n.run_id)
             order by w.created_at desc, w.run_id desc limit ${mostBefore}) r
           cross join lateral (
             select coalesce(bool_or(j.conclusion = 'cancelled'), false) and not ${hasOwnFailure('j')} as were_cancelled
             from workflow_jobs j where j.integration_id = c.group_id and j.run_id = r.run_id and j.attempt = r.attempt) j
           where ${branchOfRun('r')} = ${branchOfRun('n')} and r.completed_at >= n.created_at and r.superseded_by is null
             and (r.conclusion = 'cancelled' or r.conclusion = 'failure' and j.were_cancelled)
           on conflict do nothing`,
    values: columnsOf(runs, 'integrationId', 'runId'),
  });
}

/** A job that ends after its run may change the run's conclusion. */
export async function insertOfJobs(
  tx: Tx,
  jobs: readonly (AttemptId & { integrationId: string })[],
): Promise<void> {
  await tx.query({
    name: 'insert-pending-conclusions-of-jobs',
    text: `insert into pending_conclusions (group_id, run_id, attempt)
           select distinct c.group_id, c.run_id, c.attempt
           from unnest($1::uuid[], $2::bigint[], $3::integer[]) as c (group_id, run_id, attempt)
           join workflow_runs r on r.integration_id = c.group_id and r.run_id = c.run_id
           where r.attempt > c.attempt or r.attempt = c.attempt and r.conclusion in ${unsettled}
           on conflict do nothing`,
    values: columnsOf(jobs, 'integrationId', 'runId', 'attempt'),
  });
}

/** The integrations with attempts that have waited for `settleMs`. */
export function listIntegrationsToSettle(tx: Tx, settleMs: number): Promise<string[]> {
  return tx.column<string>({
    name: 'list-integrations-to-settle',
    text: `select distinct group_id from pending_conclusions where noted_at < now() - $1 * interval '1 ms'`,
    values: [settleMs],
  });
}

export type FoundAttempt = AttemptId & AttemptFacts;

/** The oldest attempts that have waited, with what their jobs and later runs say. Null conclusions are those of deleted runs. */
export function listAttemptsToSettle(
  tx: Tx,
  integrationId: string,
  { settleMs, most }: { settleMs: number; most: number },
): Promise<FoundAttempt[]> {
  return tx.rows<FoundAttempt>({
    name: 'list-attempts-to-settle',
    text: `with due as (
             select run_id, attempt from pending_conclusions
             where group_id = $1 and noted_at < now() - $2 * interval '1 ms' order by noted_at limit $3)
           select d.run_id::float8 as "runId", d.attempt, e.conclusion,
             j.has_own_failure as "hasOwnFailure", j.has_cancelled as "hasCancelledJob", j.has_timed_out as "hasTimedOutJob",
             n.run_id::float8 as "newerRunId"
           from due d
           left join workflow_runs r on r.integration_id = $1 and r.run_id = d.run_id
           left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = d.run_id and a.attempt = d.attempt
           cross join lateral (
             select case when r.attempt = d.attempt then r.conclusion else a.conclusion end as conclusion,
                    case when r.attempt = d.attempt then r.completed_at else a.completed_at end as ended_at) e
           cross join lateral (
             select ${hasOwnFailure('o')} as has_own_failure,
                    coalesce(bool_or(o.conclusion = 'cancelled'), false) as has_cancelled,
                    coalesce(bool_or(o.conclusion = 'timed_out'), false) as has_timed_out
             from workflow_jobs o where o.integration_id = $1 and o.run_id = d.run_id and o.attempt = d.attempt) j
           left join lateral (
             select w.run_id from workflow_runs w
             where w.integration_id = $1 and ${isNewerRun('r', 'e.ended_at')}
             order by w.created_at, w.run_id limit 1) n on e.conclusion in ${unsettled}`,
    values: [integrationId, settleMs, most],
  });
}

/** The attempt in the form of a run. Undefined when it is deleted. */
export async function findAttempt(
  tx: Tx,
  integrationId: string,
  { runId, attempt }: AttemptId,
): Promise<RunRow | undefined> {
  const [[run], [earlier]] = await Promise.all([
    findOf(tx, runTable, 'workflow_runs', { integration_id: integrationId, run_id: runId }),
    findOf(tx, attemptTable, 'workflow_run_attempts', {
      integration_id: integrationId,
      run_id: runId,
      attempt,
    }),
  ]);
  if (run === undefined || run.attempt === attempt) return run;
  return earlier && { ...run, ...earlier };
}

export async function findJob(
  tx: Tx,
  integrationId: string,
  { runId, attempt, jobId }: AttemptId & { jobId: number },
): Promise<JobRow | undefined> {
  const key = { integration_id: integrationId, run_id: runId, attempt, job_id: jobId };
  return (await findOf(tx, jobTable, 'workflow_jobs', key))[0];
}

function findOf<Row>(tx: Tx, table: Table<Row>, name: string, key: Record<string, unknown>): Promise<Row[]> {
  const conditions = Object.keys(key).map((column, index) => `${column} = $${index + 1}`);
  return selectRows(tx, table, {
    name: `find-in-${name}`,
    text: `select ${columnList(table)} from ${name} where ${conditions.join(' and ')}`,
    values: Object.values(key),
  });
}

export async function deletePendingConclusions(
  tx: Tx,
  integrationId: string,
  attempts: readonly AttemptId[],
): Promise<void> {
  await tx.query({
    name: 'delete-pending-conclusions',
    text: `delete from pending_conclusions p using unnest($2::bigint[], $3::integer[]) as c (run_id, attempt)
           where p.group_id = $1 and p.run_id = c.run_id and p.attempt = c.attempt`,
    values: [integrationId, ...columnsOf(attempts, 'runId', 'attempt')],
  });
}
