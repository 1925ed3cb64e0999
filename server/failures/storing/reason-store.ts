import type { FailureReason } from '#contract/failures/failure-reason.ts';
import { trendDays } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';

/** A reason as it is stored. */
export interface NewReason {
  integrationId: string;
  runId: number;
  attempt: number;
  jobId: number;
  groupId: string;
  repository: string;
  workflow: string | null;
  branch: string | null;
  job: string;
  step: FailureReason['step'];
  errorLine: string;
  /** What else failed in the job: what the log names, and ids of tests. */
  otherSubjects: string[];
  /** The error line names what failed. */
  isSpecific: boolean;
  /** What the log names, if it is no test of a report. */
  subject: string | null;
  /** The test that failed, if a report named it. */
  testId: string | null;
  infrastructure: FailureReason['infrastructure'];
  withoutLog: 'no_connection' | 'unreadable' | null;
  sealedExcerpt: Buffer | null;
  failedAt: Date;
}

/** Of a group, newest first. */
const maxBranches = 5;

/** Counts a failure in its day. Later days move the others back. */
const countedTrend = `case
  when excluded.trend_day > g.trend_day
    then (excluded.trend[:excluded.trend_day - g.trend_day] || g.trend)[:${trendDays}]
  when g.trend_day - excluded.trend_day < ${trendDays}
    then g.trend[:g.trend_day - excluded.trend_day] || g.trend[g.trend_day - excluded.trend_day + 1] + 1
      || g.trend[g.trend_day - excluded.trend_day + 2:]
  else g.trend end`;

/**
 * Stores the reason, counts it in its group, and shows the first reason of an attempt in the run, unless a later attempt has one. Returns undefined when the
 * job has a reason already. Needs the lock on the stream of the integration: it writes the row of the run.
 */
export function insertReason(tx: Tx, reason: NewReason): Promise<{ isNewGroup: boolean } | undefined> {
  return tx.row<{ isNewGroup: boolean }>({
    name: 'insert-failure-reason',
    text: `with reason as (
             insert into failure_reasons (integration_id, run_id, attempt, job_id, failure_group_id, repository, branch,
               on_default_branch, job, step, step_number, error_line, infrastructure, without_log, sealed_excerpt, failed_at, other_subjects)
             select $1, $2, $3, $4, $5, $6, $7, coalesce((
               select j.on_default_branch from workflow_jobs j
               where j.integration_id = $1 and j.run_id = $2 and j.attempt = $3 and j.job_id = $4), false),
               $8, $9, $10, $11, $12, $13, $14, $15, $18
             on conflict do nothing returning failed_at
           ), counted as (
             insert into failure_groups as g (integration_id, failure_group_id, repository, workflow, job, step, error_line,
               infrastructure, is_specific, test_id, subject, failures, first_seen_at, last_seen_at, branches, trend, trend_day)
             select $1, $5, $6, $16, $8, $9, $11, $12, $17, $19, $20, 1, failed_at, failed_at, array_remove(array[$7::text], null),
               1 || array_fill(0, array[${trendDays - 1}]), (least(failed_at, now()) at time zone 'UTC')::date from reason
             on conflict (integration_id, failure_group_id) do update set failures = g.failures + 1,
               first_seen_at = least(g.first_seen_at, excluded.first_seen_at),
               last_seen_at = greatest(g.last_seen_at, excluded.last_seen_at),
               error_line = case when excluded.last_seen_at >= g.last_seen_at then excluded.error_line else g.error_line end,
               branches = case when excluded.last_seen_at >= g.last_seen_at
                   then (excluded.branches || array_remove(g.branches, $7::text))[1:${maxBranches}]
                 when $7::text = any (g.branches) then g.branches
                 else (g.branches || excluded.branches)[1:${maxBranches}] end,
               trend = ${countedTrend}, trend_day = greatest(g.trend_day, excluded.trend_day)
             returning xmax = 0 as is_new
           ), shown as (
             update workflow_runs r set error_line = $11 from reason
             where r.integration_id = $1 and r.run_id = $2 and (r.attempt = $3 or r.attempt > $3 and r.error_line is null) and not exists (
               select from failure_reasons o where o.integration_id = $1 and o.run_id = $2 and o.attempt = $3)
           )
           select is_new as "isNewGroup" from counted`,
    values: [
      reason.integrationId,
      reason.runId,
      reason.attempt,
      reason.jobId,
      reason.groupId,
      reason.repository,
      reason.branch,
      reason.job,
      reason.step?.name ?? null,
      reason.step?.number ?? null,
      reason.errorLine,
      reason.infrastructure,
      reason.withoutLog,
      reason.sealedExcerpt,
      reason.failedAt,
      reason.workflow,
      reason.isSpecific,
      reason.otherSubjects,
      reason.testId,
      reason.subject,
    ],
  });
}

export interface UnlinkedJob {
  runId: number;
  attempt: number;
  jobId: number;
  name: string;
  groupId: string;
  subject: string;
}

/** Failed jobs of an attempt whose groups name what failed, and no test of a report. */
export function listUnlinkedJobs(
  tx: Tx,
  integrationId: string,
  { runId, attempt }: { runId: number; attempt: number },
): Promise<UnlinkedJob[]> {
  return tx.rows<UnlinkedJob>(
    `select f.run_id::float8 as "runId", f.attempt, f.job_id::float8 as "jobId", f.job as name, f.failure_group_id as "groupId",
       g.subject
     from failure_reasons f
     join failure_groups g on g.integration_id = $1 and g.failure_group_id = f.failure_group_id
     where f.integration_id = $1 and f.run_id = $2 and f.attempt = $3 and g.subject is not null and g.infrastructure is null
     limit 200`,
    [integrationId, runId, attempt],
  );
}

export async function linkGroup(
  tx: Tx,
  integrationId: string,
  groupId: string,
  testId: string,
): Promise<void> {
  await tx.query(
    `update failure_groups set test_id = $3, subject = null
     where integration_id = $1 and failure_group_id = $2 and test_id is null`,
    [integrationId, groupId, testId],
  );
}

/** Deletes the oldest reasons, and the groups that are older. Returns the number of rows. */
export async function deleteOldFailures(
  tx: Tx,
  integrationId: string,
  { before, markedBefore, most }: { before: Date; markedBefore: Date; most: number },
): Promise<number> {
  const values = [integrationId, before, most];
  const deleted = await Promise.all([
    tx.query(
      `delete from failure_reasons where ctid = any (array(
         select ctid from failure_reasons where integration_id = $1 and failed_at < $2 order by failed_at limit $3))
         and integration_id = $1`,
      values,
    ),
    tx.query(
      `delete from failure_groups where integration_id = $1 and ctid = any (array(
         select ctid from failure_groups where integration_id = $1 and last_seen_at < $2
           and (status = 'open' or last_seen_at < $4) order by last_seen_at limit $3))`,
      [...values, markedBefore],
    ),
  ]);
  return deleted.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}
