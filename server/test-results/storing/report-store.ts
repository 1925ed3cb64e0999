import { flakyDays } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { ReportTotals } from './sum-report.ts';

/** The attempt of a run that a report is about. */
export interface RunOfReport {
  repository: string;
  /** A bigint as text. */
  repositoryKey: string;
  headSha: string | null;
  headBranch: string | null;
  onMain: boolean;
  /** When the attempt started: the time that its results count for, whenever the report arrives. */
  at: Date;
}

/** Undefined while no event of the run is stored. */
export function findRun(
  tx: Tx,
  integrationId: string,
  { run, attempt }: { run: number; attempt: number },
): Promise<RunOfReport | undefined> {
  return tx.row<RunOfReport>({
    name: 'find-run-of-report',
    text: `select r.repository, r.repository_key::text as "repositoryKey", r.head_sha as "headSha",
             r.head_branch as "headBranch", r.on_default_branch as "onMain",
             coalesce(case when r.attempt = $3 then r.started_at else a.started_at end, r.created_at) as at
           from workflow_runs r
           left join workflow_run_attempts a
             on a.integration_id = r.integration_id and a.run_id = r.run_id and a.attempt = $3
           where r.integration_id = $1 and r.run_id = $2`,
    values: [integrationId, run, attempt],
  });
}

/**
 * The job of the run, if the sender named it by its id or by its only name. It is called by its name then, because each attempt has other
 * ids.
 */
export async function findJob(
  tx: Tx,
  integrationId: string,
  { run, attempt, job }: { run: number; attempt: number; job: string },
): Promise<{ jobId: number | null; job: string }> {
  if (job === '') return { jobId: null, job };
  const [found, ...others] = await tx.rows<{ jobId: number; name: string | null }>(
    `select job_id::float8 as "jobId", name from workflow_jobs
     where integration_id = $1 and run_id = $2 and attempt = $3 and (job_id::text = $4 or name = $4) limit 2`,
    [integrationId, run, attempt, job],
  );
  if (found === undefined || others.length > 0) return { jobId: null, job };
  return { jobId: found.jobId, job: found.name ?? job };
}

export interface NewReport {
  hash: Buffer;
  run: number;
  attempt: number;
  job: string;
  jobId: number | null;
  suite: string;
  format: string;
  totals: ReportTotals;
  faults: readonly string[];
  /** Undefined while the run is not known. */
  about: RunOfReport | undefined;
  passed: Buffer | null;
}

/** Undefined if the same report is stored already. */
export async function insertReport(
  tx: Tx,
  integrationId: string,
  { totals, about, ...report }: NewReport,
): Promise<string | undefined> {
  return tx.value<string>({
    name: 'insert-test-report',
    text: `insert into test_reports (integration_id, hash, run_id, attempt, job, job_id, suite, repository_key, head_sha,
             head_branch, on_main, format, tests, failures, skips, flakes, duration_ms, faults, is_mass_failure, at, passed)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
           on conflict (integration_id, hash) do nothing returning report_id`,
    values: [
      integrationId,
      report.hash,
      report.run,
      report.attempt,
      report.job,
      report.jobId,
      report.suite,
      about?.repositoryKey ?? null,
      about?.headSha ?? null,
      about?.headBranch ?? null,
      about?.onMain ?? null,
      report.format,
      totals.tests,
      totals.failed,
      totals.skipped,
      totals.flaky,
      totals.durationMs,
      report.faults,
      totals.isMassFailure,
      about?.at ?? null,
      report.passed,
    ],
  });
}

/** A report that is stored or waits, as its sender gets it again. */
export interface KnownReport {
  reportId: string;
  isWaiting: boolean;
}

export async function findReport(
  tx: Tx,
  integrationId: string,
  hash: Buffer,
): Promise<KnownReport | undefined> {
  return tx.row<KnownReport>(
    `select report_id as "reportId", sealed_results is not null as "isWaiting"
     from test_reports where integration_id = $1 and hash = $2`,
    [integrationId, hash],
  );
}

/** Until the end of the transaction. */
export async function lockReports(
  tx: Tx,
  integrationId: string,
  { repositoryKey }: RunOfReport,
): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('test reports ' || $1 || ' ' || $2, 0))`, [
    integrationId,
    repositoryKey,
  ]);
}

export interface NewFailure {
  testId: string;
  isFlaky: boolean;
  /** A bigint as text: equal for failures with the same message. */
  messageKey: string;
  sealedText: Buffer | null;
  durationMs: number | null;
  retries: number;
}

export async function insertFailures(
  tx: Tx,
  integrationId: string,
  report: {
    reportId: string;
    run: number;
    attempt: number;
    jobId: number | null;
    leg: string;
    counts: boolean;
  },
  { headSha, headBranch, onMain, at }: RunOfReport,
  failures: readonly NewFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  await tx.query({
    name: 'insert-test-failures',
    text: `insert into test_failures (integration_id, report_id, run_id, attempt, job_id, leg, counts, head_sha, branch,
             on_main, at, test_id, is_flaky, message_key, sealed_text, duration_ms, retries)
           select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, c.*
           from unnest($12::uuid[], $13::boolean[], $14::bigint[], $15::bytea[], $16::int[], $17::int[]) as c`,
    values: [
      integrationId,
      report.reportId,
      report.run,
      report.attempt,
      report.jobId,
      report.leg,
      report.counts,
      headSha,
      headBranch,
      onMain,
      at,
      ...columnsOf(failures, 'testId', 'isFlaky', 'messageKey', 'sealedText', 'durationMs', 'retries'),
    ],
  });
}

/** Tests that failed on a commit in the same leg in other reports, and have not passed there yet. */
export function listFailedOnCommit(
  tx: Tx,
  integrationId: string,
  { headSha, leg, reportId }: { headSha: string; leg: string; reportId: string },
): Promise<string[]> {
  return tx.column<string>(
    `select distinct test_id from test_failures
     where integration_id = $1 and head_sha = $2 and leg = $3 and report_id <> $4 and counts and not is_flaky`,
    [integrationId, headSha, leg, reportId],
  );
}

/** Ids of tests that passed in re-runs of the commit, each list 16 bytes an id. */
export function listPassedOnCommit(
  tx: Tx,
  integrationId: string,
  { headSha, job, suite }: { headSha: string; job: string; suite: string },
): Promise<Buffer[]> {
  return tx.column<Buffer>(
    `select passed from test_reports
     where integration_id = $1 and head_sha = $2 and job = $3 and suite = $4 and passed is not null`,
    [integrationId, headSha, job, suite],
  );
}

/** Assignments for flakes of a test from `first` to `last`, which may arrive late. */
const flakyAssignments = (first: string, last: string): string => `
  flaky_since = case
    when t.last_flaky_at is null or ${first} > t.last_flaky_at + interval '${flakyDays} days' then ${first}
    when ${last} >= t.flaky_since - interval '${flakyDays} days' then least(t.flaky_since, ${first})
    else t.flaky_since end,
  last_flaky_at = greatest(t.last_flaky_at, ${last})`;

/**
 * Notes that the failures of a commit were flakes: the tests passed on it, too. They cost the failed job, or the report's time if the
 * job is not known. The tests that failed in it share that time.
 */
export async function markFlaky(
  tx: Tx,
  integrationId: string,
  { headSha, leg }: { headSha: string; leg: string },
  testIds: readonly string[],
): Promise<void> {
  if (testIds.length === 0) return;
  await tx.query(
    `with flaky as (
       update test_failures set is_flaky = true
       where integration_id = $1 and head_sha = $2 and leg = $3 and counts and not is_flaky and test_id = any ($4)
       returning test_id, (at at time zone 'UTC')::date as day, on_main, at, report_id
     ), costs as (
       select f.*, (coalesce(extract(epoch from j.completed_at - j.started_at) * 1000, r.duration_ms)
         / greatest(r.failures, 1))::bigint as lost_ms
       from flaky f
       join test_reports r on r.integration_id = $1 and r.report_id = f.report_id
       left join workflow_jobs j on j.integration_id = $1 and j.run_id = r.run_id and j.attempt = r.attempt and j.job_id = r.job_id
     ), counted as (
       update test_days d set flakes = d.flakes + f.flakes, lost_ms = d.lost_ms + f.lost_ms
       from (select test_id, day, on_main, count(*)::int as flakes, sum(lost_ms)::bigint as lost_ms from costs group by 1, 2, 3) f
       where d.integration_id = $1 and d.test_id = f.test_id and d.day = f.day and d.on_main = f.on_main
     )
     update tests t set ${flakyAssignments('f.first', 'f.last')}
     from (select test_id, min(at) as first, max(at) as last from flaky group by 1) f
     where t.integration_id = $1 and t.test_id = f.test_id`,
    [integrationId, headSha, leg, testIds],
  );
}

/** Notes failures, and flakes that a report names itself. */
export async function noteEvidence(
  tx: Tx,
  integrationId: string,
  at: Date,
  { failed, flaky }: { failed: readonly string[]; flaky: readonly string[] },
): Promise<void> {
  if (failed.length + flaky.length === 0) return;
  await tx.query(
    `update tests set last_failed_at = greatest(last_failed_at, $2)
     where integration_id = $1 and test_id = any ($3::uuid[])`,
    [integrationId, at, [...failed, ...flaky]],
  );
  await noteFlakes(
    tx,
    integrationId,
    flaky.map((testId) => ({ testId, first: at, last: at })),
  );
}

/** Notes that tests were flaky from one time to another. */
export async function noteFlakes(
  tx: Tx,
  integrationId: string,
  flakes: readonly { testId: string; first: Date; last: Date }[],
): Promise<void> {
  if (flakes.length === 0) return;
  await tx.query(
    `update tests t set ${flakyAssignments('f.first', 'f.last')}
     from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) as f (test_id, first, last)
     where t.integration_id = $1 and t.test_id = f.test_id`,
    [integrationId, ...columnsOf(flakes, 'testId', 'first', 'last')],
  );
}

/** Tests of a suite that have failed at some time. Only of them the passes on the default branch matter. */
export function listEverFailed(
  tx: Tx,
  integrationId: string,
  { repositoryKey, suite }: { repositoryKey: string; suite: string },
): Promise<string[]> {
  return tx.column<string>(
    `select test_id from tests
     where integration_id = $1 and repository_key = $2 and suite = $3 and last_failed_at is not null`,
    [integrationId, repositoryKey, suite],
  );
}

/**
 * Notes passes on the default branch, then finds out since when each of the tests is broken: since its first failure after its
 * newest pass.
 */
export async function updateBroken(
  tx: Tx,
  integrationId: string,
  at: Date,
  { passed, failed }: { passed: readonly string[]; failed: readonly string[] },
): Promise<void> {
  if (passed.length + failed.length === 0) return;
  await tx.query(
    `update tests t set
       main_passed_at = n.main_passed_at,
       broken_since = (select min(f.at) from test_failures f
         where f.integration_id = $1 and f.test_id = t.test_id and f.on_main and f.counts and not f.is_flaky
           and f.at > coalesce(n.main_passed_at, '-infinity'))
     from (
       select test_id, case when test_id = any ($3) then greatest(main_passed_at, $2) else main_passed_at end as main_passed_at
       from tests where integration_id = $1 and test_id = any ($3::uuid[] || $4::uuid[])) n
     where t.integration_id = $1 and t.test_id = n.test_id`,
    [integrationId, at, passed, failed],
  );
}

/** When reports of the leg on the default branch were about, oldest first. Of mass failures none. */
export function listMainReports(
  tx: Tx,
  integrationId: string,
  { repositoryKey, job, suite, from }: { repositoryKey: string; job: string; suite: string; from: Date },
): Promise<Date[]> {
  return tx.column<Date>(
    `select at from test_reports
     where integration_id = $1 and at >= $5 and on_main and repository_key = $2 and job = $3
       and suite = $4 and not is_mass_failure
     order by at limit 2000`,
    [integrationId, repositoryKey, job, suite, from],
  );
}

/** Failures of tests on the default branch in a leg. */
export function listMainFailures(
  tx: Tx,
  integrationId: string,
  { leg, from, testIds }: { leg: string; from: Date; testIds: readonly string[] },
): Promise<{ testId: string; at: Date }[]> {
  return tx.rows<{ testId: string; at: Date }>(
    `select test_id as "testId", at from test_failures
     where integration_id = $1 and test_id = any ($4) and at >= $3 and on_main and counts and leg = $2
     limit 20000`,
    [integrationId, leg, from, testIds],
  );
}
