import type { TestDay } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { resultsOf } from './test-store.ts';

/** Newest failures of a test that are grouped by their message. */
const groupedFailures = 1000;
const mostMessages = 20;
const mostGroups = 5;

const firstDay = `(now() at time zone 'UTC')::date - 89`;

export function listDays(tx: Tx, integrationId: string, testId: string): Promise<TestDay[]> {
  return tx.rows<TestDay>(
    `with t as (select * from tests where integration_id = $1 and test_id = $2)
     select day::text, on_main as "onDefaultBranch", coalesce(b.passes, 0) as passes, coalesce(d.failures, 0) as failures,
       coalesce(d.flakes, 0) as flakes, coalesce(b.skips, 0) as skips, coalesce(b.duration_ms, 0) as "durationMs"
     from (select r.* from t cross join lateral (${resultsOf(firstDay)}) r where r.passes > 0 or r.skips > 0) b
     full join (select d.* from test_days d where integration_id = $1 and test_id = $2 and failures > 0 and day >= ${firstDay}) d
       using (day, on_main)
     order by day, on_main`,
    [integrationId, testId],
  );
}

/** The run of a failure, which may be deleted already. */
export interface RunOfFailureRow {
  runId: number;
  runNumber: number | null;
  attempt: number;
  title: string | null;
  url: string | null;
  headSha: string | null;
  branch: string | null;
}

const run = `f.run_id::float8 as "runId", r.run_number::float8 as "runNumber", f.attempt, r.title, r.url, f.head_sha as "headSha", f.branch`;
const joinRun = 'left join workflow_runs r on r.integration_id = $1 and r.run_id = f.run_id';
const text = `f.test_id as "testId", f.report_id as "reportId", f.sealed_text as "sealedText"`;

/** The encrypted text of a failure and what it is bound to. */
interface TextRow {
  testId: string;
  reportId: string;
  sealedText: Buffer | null;
}

export interface TestFailureRow extends TextRow, RunOfFailureRow {
  isFlaky: boolean;
  jobId: number | null;
  onDefaultBranch: boolean;
  at: Date;
}

/** Newest first. */
export function listFailures(
  tx: Tx,
  integrationId: string,
  testId: string,
  limit: number,
): Promise<TestFailureRow[]> {
  return tx.rows<TestFailureRow>(
    `select ${run}, ${text}, f.is_flaky as "isFlaky", f.job_id::float8 as "jobId", f.on_main as "onDefaultBranch", f.at
     from (select * from test_failures where integration_id = $1 and test_id = $2 order by at desc, report_id limit $3) f
     ${joinRun} order by f.at desc, f.report_id`,
    [integrationId, testId, limit],
  );
}

/** The first failure on the default branch from a time on. */
export function findFailureSince(
  tx: Tx,
  integrationId: string,
  testId: string,
  since: Date,
): Promise<RunOfFailureRow | undefined> {
  return tx.row<RunOfFailureRow>(
    `select ${run}
     from (select * from test_failures
           where integration_id = $1 and test_id = $2 and at >= $3 and on_main and counts and not is_flaky order by at limit 1) f
     ${joinRun}`,
    [integrationId, testId, since],
  );
}

export interface MessageRow extends RunOfFailureRow, TextRow {
  failures: number;
  flakes: number;
  firstAt: Date;
  lastAt: Date;
  branches: string[];
}

/** Groups of failures with the same message, the most recent first. */
export function listMessages(tx: Tx, integrationId: string, testId: string): Promise<MessageRow[]> {
  return tx.rows<MessageRow>(
    `with newest as (
       select * from test_failures where integration_id = $1 and test_id = $2 order by at desc, report_id limit ${groupedFailures}
     ), branches as (
       select message_key, branch, max(at) as at from newest where branch is not null group by 1, 2
     ), groups as (
       select message_key, count(*)::int as failures, count(*) filter (where is_flaky)::int as flakes,
         min(at) as first_at, max(at) as last_at, (array_agg(report_id order by at desc, report_id))[1] as report_id
       from newest group by 1 order by last_at desc, message_key limit ${mostMessages})
     select g.failures, g.flakes, g.first_at as "firstAt", g.last_at as "lastAt", ${run}, ${text},
       array(select b.branch from branches b where b.message_key = g.message_key order by b.at desc limit 5) as branches
     from groups g join newest f on f.report_id = g.report_id ${joinRun}
     order by g.last_at desc, g.message_key`,
    [integrationId, testId],
  );
}

export interface GroupRow {
  groupId: string;
  job: string;
  errorLine: string;
  isOfTest: boolean;
  failures: number;
}

/**
 * The failure groups of the test, and of the jobs of its newest failures. A job that was not known when its report arrived is found by its
 * name.
 */
export function listGroupsOfTest(
  tx: Tx,
  integrationId: string,
  testId: string,
  most: number,
): Promise<GroupRow[]> {
  return tx.rows<GroupRow>(
    `with known as (
       (select failure_group_id from failure_groups where integration_id = $1 and test_id = $2
        order by last_seen_at desc limit ${mostGroups})
       union
       select f.failure_group_id
       from (select * from test_failures where integration_id = $1 and test_id = $2 order by at desc, report_id limit $3) t
       join failure_reasons f on f.integration_id = $1 and f.run_id = t.run_id and f.attempt = t.attempt
         and (f.job_id = t.job_id or t.job_id is null and f.job = t.job))
     select g.failure_group_id as "groupId", g.job, g.error_line as "errorLine", coalesce(g.test_id = $2, false) as "isOfTest",
       g.failures::int
     from known k join failure_groups g on g.integration_id = $1 and g.failure_group_id = k.failure_group_id
     order by "isOfTest" desc, g.last_seen_at desc, 1 limit ${mostGroups}`,
    [integrationId, testId, most],
  );
}
