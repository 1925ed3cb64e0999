import type { Tx } from '#platform/database/database.ts';
import type { PagePosition } from '#platform/http/page-cursor.ts';
import { runsUntilVanished } from '../verdicts/verdict.ts';

export interface TestRow {
  testId: string;
  repository: string;
  suite: string;
  className: string;
  name: string;
  file: string | null;
  firstSeenAt: Date;
  lastSeenAt: Date;
  lastFailedAt: Date | null;
  lastFlakyAt: Date | null;
  brokenSince: Date | null;
  firstOnMainAt: Date | null;
  runsWithout: number;
  passes: number;
  failures: number;
  flakes: number;
  skips: number;
  durationMs: number;
  lostMs: number;
  /** Failures and flakes by day, oldest first. */
  trend: number[];
  at_micros: string;
}

/** Days that lists add up. */
const summaryDays = 14;

const firstDay = `(now() at time zone 'UTC')::date - ${summaryDays - 1}`;

/** Of the test `t`. */
const shown = `t.test_id as "testId", t.repository, t.suite, t.class_name as "className", t.name, t.file,
  t.first_seen_at as "firstSeenAt", t.last_seen_at as "lastSeenAt", t.last_failed_at as "lastFailedAt",
  t.last_flaky_at as "lastFlakyAt", t.broken_since as "brokenSince", t.first_on_main_at as "firstOnMainAt",
  (select count(*)::int from (
     select from test_reports r
     where r.integration_id = t.integration_id and r.repository_key = t.repository_key and r.suite = t.suite and r.on_main
       and not r.is_mass_failure
       and r.at >= (date_trunc('day', t.last_seen_at at time zone 'UTC') + interval '1 day') at time zone 'UTC'
     limit ${runsUntilVanished}) later) as "runsWithout",
  s.*`;

const sums = `cross join lateral (
  select coalesce(sum(passes), 0)::int as passes, coalesce(sum(failures), 0)::int as failures,
    coalesce(sum(flakes), 0)::int as flakes, coalesce(sum(skips), 0)::int as skips,
    coalesce(sum(duration_ms), 0)::float8 as "durationMs", coalesce(sum(lost_ms), 0)::float8 as "lostMs",
    array(select coalesce(sum(x.failures + x.flakes), 0)::int from generate_series(0, ${summaryDays - 1}) as n
          left join test_days x on x.integration_id = t.integration_id and x.test_id = t.test_id and x.day = ${firstDay} + n
          group by n order by n) as trend
  from test_days d
  where d.integration_id = t.integration_id and d.test_id = t.test_id and d.day >= ${firstDay}) s`;

export interface TestFilter {
  /** Only tests with this evidence. */
  evidence: 'broken' | 'flaky' | 'new' | 'any' | 'failed';
  repository: string | undefined;
  suite: string | undefined;
  words: readonly string[];
}

const evidence: Record<TestFilter['evidence'], string> = {
  broken: 't.broken_since is not null',
  flaky: `t.last_flaky_at > now() - interval '14 days'`,
  new: `t.first_on_main_at > now() - interval '7 days'`,
  failed: 't.last_failed_at is not null',
  any: 'true',
};

const text = `lower(t.class_name || ' ' || t.name || ' ' || coalesce(t.file, '') || ' ' || t.suite)`;
const selected = `($2::text is null or t.repository = $2) and ($3::text is null or t.suite = $3)
  and ${text} like all ($4::text[])`;

const valuesOf = (integrationId: string, { repository, suite, words }: TestFilter): unknown[] => [
  integrationId,
  repository ?? null,
  suite ?? null,
  words.map((word) => `%${word.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`),
];

/** By their last failure, or by their last appearance if the filter is about other tests. Newest first. */
export function listTests(
  tx: Tx,
  integrationId: string,
  filter: TestFilter,
  before: PagePosition | undefined,
  limit: number,
): Promise<TestRow[]> {
  const isAboutFailures = filter.evidence !== 'any' && filter.evidence !== 'new';
  const at = isAboutFailures ? 't.last_failed_at' : 't.last_seen_at';
  return tx.rows<TestRow>(
    `select ${shown}, (extract(epoch from ${at}) * 1000000)::bigint::text as at_micros
     from (
       select * from tests t
       where t.integration_id = $1 and ${evidence[filter.evidence]} and ${selected}
         and ($5::text is null or (${at}, t.test_id) <
           (timestamptz 'epoch' + $5::bigint * interval '1 microsecond', $6::uuid))
       order by ${at} desc, t.test_id desc limit $7) t
     ${sums}
     order by ${at} desc, t.test_id desc`,
    [...valuesOf(integrationId, filter), before?.at ?? null, before?.id ?? null, limit],
  );
}

const orders = { failures: 'failures + flakes', lost: 'lost_ms', duration: 'duration_ms' };

/** The tests with the largest sums of the last days, largest first. */
export function listTopTests(
  tx: Tx,
  integrationId: string,
  filter: TestFilter,
  by: keyof typeof orders,
  limit: number,
): Promise<TestRow[]> {
  const isAboutFailures = by === 'failures';
  return tx.rows<TestRow>(
    `with top as (
       select d.test_id, sum(d.${orders[by].replace(' + ', ' + d.')}) as amount
       from test_days d join tests t on t.integration_id = d.integration_id and t.test_id = d.test_id
       where d.integration_id = $1 and d.day >= ${firstDay} ${isAboutFailures ? 'and d.failures + d.flakes > 0' : ''}
         and ${evidence[filter.evidence]} and ${selected}
       group by d.test_id having sum(d.${orders[by].replace(' + ', ' + d.')}) > 0 order by amount desc, d.test_id limit $5)
     select ${shown}, '0' as at_micros from top
     join tests t on t.integration_id = $1 and t.test_id = top.test_id
     ${sums}
     order by top.amount desc, top.test_id`,
    [...valuesOf(integrationId, filter), limit],
  );
}

export function findTests(tx: Tx, integrationId: string, testIds: readonly string[]): Promise<TestRow[]> {
  return tx.rows<TestRow>(
    `select ${shown}, '0' as at_micros from tests t ${sums} where t.integration_id = $1 and t.test_id = any ($2)`,
    [integrationId, testIds],
  );
}

export interface TestDayRow {
  day: string;
  onDefaultBranch: boolean;
  passes: number;
  failures: number;
  flakes: number;
  skips: number;
  durationMs: number;
}

export function listDays(tx: Tx, integrationId: string, testId: string): Promise<TestDayRow[]> {
  return tx.rows<TestDayRow>(
    `select day::text, on_main as "onDefaultBranch", passes, failures, flakes, skips, duration_ms::float8 as "durationMs"
     from test_days where integration_id = $1 and test_id = $2 and day > (now() at time zone 'UTC')::date - 90
     order by day, on_main`,
    [integrationId, testId],
  );
}

export interface FailureRow {
  testId: string;
  reportId: string;
  runId: number;
  attempt: number;
  jobId: number | null;
  branch: string | null;
  headSha: string | null;
  onDefaultBranch: boolean;
  isFlaky: boolean;
  sealedText: Buffer | null;
  at: Date;
}

const failure = `test_id as "testId", report_id as "reportId", run_id::float8 as "runId", attempt, job_id::float8 as "jobId",
  branch, head_sha as "headSha", on_main as "onDefaultBranch", is_flaky as "isFlaky", sealed_text as "sealedText", at`;

/** Newest first. */
export function listFailures(
  tx: Tx,
  integrationId: string,
  testId: string,
  limit: number,
): Promise<FailureRow[]> {
  return tx.rows<FailureRow>(
    `select ${failure} from test_failures where integration_id = $1 and test_id = $2 order by at desc, report_id limit $3`,
    [integrationId, testId, limit],
  );
}

/** Failures of an attempt, those that did not pass on the same commit first. */
export function listRunFailures(
  tx: Tx,
  integrationId: string,
  { runId, attempt }: { runId: number; attempt: number },
  limit: number,
): Promise<FailureRow[]> {
  return tx.rows<FailureRow>(
    `select ${failure} from test_failures where integration_id = $1 and run_id = $2 and attempt = $3
     order by is_flaky, test_id limit $4`,
    [integrationId, runId, attempt, limit],
  );
}

export interface ReportRow {
  reportId: string;
  job: string;
  jobId: number | null;
  suite: string;
  format: 'junit' | 'ctrf' | 'go-test';
  tests: number;
  failed: number;
  skipped: number;
  flaky: number;
  durationMs: number;
  isMassFailure: boolean;
  faults: string[];
  receivedAt: Date;
}

export function listReports(
  tx: Tx,
  integrationId: string,
  { runId, attempt }: { runId: number; attempt: number },
): Promise<ReportRow[]> {
  return tx.rows<ReportRow>(
    `select report_id as "reportId", job, job_id::float8 as "jobId", suite, format, tests, failures as failed, skips as skipped,
       flakes as flaky, duration_ms::float8 as "durationMs", is_mass_failure as "isMassFailure", faults,
       received_at as "receivedAt"
     from test_reports where integration_id = $1 and run_id = $2 and attempt = $3 order by received_at, report_id limit 500`,
    [integrationId, runId, attempt],
  );
}

/** The newest attempt of a run. Undefined if the run is not known. */
export function findAttempt(tx: Tx, integrationId: string, runId: number): Promise<number | undefined> {
  return tx.value<number>('select attempt from workflow_runs where integration_id = $1 and run_id = $2', [
    integrationId,
    runId,
  ]);
}
