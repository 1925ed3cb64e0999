import { flakyDays } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { anyOf, mainFailures, mainReports, passedIn } from './pass-sql.ts';
import type { TestEvidence, TestVerdict } from './verdict.ts';

export interface Suite {
  repositoryKey: string;
  suite: string;
}

/** Of a suite. A sender with another name of a job in each report must not make reading long. */
const mostJobs = 500;

/** The newest report of each job of a suite on the default branch. */
export async function newestByJob(
  tx: Tx,
  integrationId: string,
  { repositoryKey, suite }: Suite,
): Promise<Map<string, Date>> {
  const rows = await tx.rows<{ job: string; at: Date }>({
    name: 'newest-reports-by-job',
    text: `with recursive newest (job, at) as (
             (select r.job, r.at from test_reports r where ${mainReports} order by r.job, r.at desc limit 1)
             union all
             select n.job, n.at from newest, lateral (
               select r.job, r.at from test_reports r where ${mainReports} and r.job > newest.job
               order by r.job, r.at desc limit 1) n)
           select job, at from newest limit ${mostJobs}`,
    values: [integrationId, repositoryKey, suite],
  });
  return new Map(rows.map(({ job, at }) => [job, at]));
}

/** The newest report of the job on the default branch other than this one. */
export function findOtherReport(
  tx: Tx,
  integrationId: string,
  { repositoryKey, suite, job, reportId }: Suite & { job: string; reportId: string },
): Promise<Date | undefined> {
  return tx.value<Date>(
    `select r.at from test_reports r where ${mainReports} and r.job = $4 and r.report_id <> $5 order by r.at desc limit 1`,
    [integrationId, repositoryKey, suite, job, reportId],
  );
}

/** Tests of the suite that are broken, and those that failed at `at` or later. Of both, those that passed in the report. */
export function listPassedAgain(
  tx: Tx,
  integrationId: string,
  { repositoryKey, suite, reportId, at }: Suite & { reportId: string; at: Date },
): Promise<{ testId: string; failedLater: boolean }[]> {
  return tx.rows<{ testId: string; failedLater: boolean }>({
    name: 'list-passed-again',
    text: `select t.test_id as "testId", t.last_failed_at >= $5 as "failedLater"
           from tests t
           join test_reports r on r.integration_id = $1 and r.report_id = $4
           where t.integration_id = $1 and t.repository_key = $2 and t.suite = $3
             and (t.broken_since is not null or t.last_failed_at >= $5) and has_bit(r.passed, t.ordinal)`,
    values: [integrationId, repositoryKey, suite, reportId, at],
  });
}

/** Tests of the suite that have failed. */
export function listEverFailed(
  tx: Tx,
  integrationId: string,
  { repositoryKey, suite }: Suite,
): Promise<string[]> {
  return tx.column<string>(
    `select test_id from tests
     where integration_id = $1 and repository_key = $2 and suite = $3 and last_failed_at is not null`,
    [integrationId, repositoryKey, suite],
  );
}

export async function noteFailures(
  tx: Tx,
  integrationId: string,
  at: Date,
  testIds: readonly string[],
): Promise<void> {
  if (testIds.length === 0) return;
  await tx.query(
    `update tests set last_failed_at = $2
     where integration_id = $1 and test_id = ${anyOf('$3')} and (last_failed_at is null or last_failed_at < $2)`,
    [integrationId, at, testIds],
  );
}

interface EvidenceRow extends TestVerdict {
  testId: string;
  forgotBroken: boolean;
  forgotFlaky: boolean;
  forgotLastFlaky: boolean;
  firstFlake: Date | null;
  lastFlake: Date | null;
}

interface FailingRow {
  testId: string;
  since: Date | null;
  isOpen: boolean;
}

const isForgotten = (column: string): string => `${column} is not null and not exists (
  select from test_failures f where f.integration_id = $1 and f.test_id = t.test_id and f.at = ${column})`;

const ownFlakes = `select f.at from test_failures f
  where f.integration_id = $1 and f.test_id = t.test_id and f.counts and (f.is_flaky or f.is_flip)`;

/** From the newest flake on, each step goes to the first flake in the 14 days before. */
const periodOfFlakes = `with recursive steps (at) as (
    (${ownFlakes} order by f.at desc limit 1)
    union all
    select n.at from steps, lateral (
      ${ownFlakes} and f.at >= steps.at - interval '${flakyDays} days' and f.at < steps.at order by f.at limit 1) n)
  select min(at) as first, max(at) as last from steps`;

/** The jobs of the test `t` on the default branch with its newest failure in each. */
const failedJobs = `with recursive jobs (job, at) as (
    (select f.job, f.at from test_failures f where ${mainFailures} order by f.job, f.at desc limit 1)
    union all
    select n.job, n.at from jobs, lateral (
      select f.job, f.at from test_failures f where ${mainFailures} and f.job > jobs.job order by f.job, f.at desc limit 1) n)
  select job, at from jobs`;

/** What is stored about tests of a suite. */
export async function readEvidence(
  tx: Tx,
  integrationId: string,
  { repositoryKey, suite, activeJobs }: Suite & { activeJobs: readonly string[] },
  testIds: readonly string[],
): Promise<Map<string, TestEvidence>> {
  const [rows, failing] = await Promise.all([
    tx.rows<EvidenceRow>({
      name: 'read-test-evidence',
      text: `select t.test_id as "testId", t.broken_since as "brokenSince", t.flaky_since as "flakySince",
               t.last_flaky_at as "lastFlakyAt", ${isForgotten('t.broken_since')} as "forgotBroken",
               ${isForgotten('t.flaky_since')} as "forgotFlaky", ${isForgotten('t.last_flaky_at')} as "forgotLastFlaky",
               p.first as "firstFlake", p.last as "lastFlake"
             from tests t cross join lateral (${periodOfFlakes}) p
             where t.integration_id = $1 and t.test_id = ${anyOf('$2')}`,
      values: [integrationId, testIds],
    }),
    tx.rows<FailingRow>({
      name: 'read-failing-jobs-of-tests',
      text: `select t.test_id as "testId", start.at is null as "isOpen", (
               select f.at from test_failures f
               where ${mainFailures} and f.job = j.job and f.at >= coalesce(start.at, '-infinity') and not f.is_flaky
               order by f.at limit 1) as since
             from tests t
             cross join lateral (${failedJobs}) j
             left join lateral (
               select f.at from test_failures f where ${mainFailures} and f.job = j.job and f.follows_pass
               order by f.at desc limit 1) start on true
             where t.integration_id = $1 and t.test_id = ${anyOf('$4')} and j.job = any ($5) and not exists (
               select from test_reports r where ${mainReports} and r.job = j.job and r.at > j.at and ${passedIn})`,
      values: [integrationId, repositoryKey, suite, testIds, activeJobs],
    }),
  ]);
  const byTest = Map.groupBy(failing, ({ testId }) => testId);
  return new Map(rows.map((row) => [row.testId, evidenceOf(row, byTest.get(row.testId) ?? [])]));
}

function evidenceOf(row: EvidenceRow, failing: readonly FailingRow[]): TestEvidence {
  const { brokenSince, flakySince, lastFlakyAt, firstFlake: first, lastFlake: last } = row;
  return {
    known: { brokenSince, flakySince, lastFlakyAt },
    isForgotten: { broken: row.forgotBroken, flaky: row.forgotFlaky, lastFlaky: row.forgotLastFlaky },
    failing: failing.map(({ since, isOpen }) => ({ since, isOpen })),
    flakes: first === null || last === null ? undefined : { first, last },
  };
}

export async function saveVerdicts(
  tx: Tx,
  integrationId: string,
  verdicts: readonly (TestVerdict & { testId: string })[],
): Promise<void> {
  await tx.query({
    name: 'save-test-verdicts',
    text: `update tests t set broken_since = v.broken_since, flaky_since = v.flaky_since, last_flaky_at = v.last_flaky_at
           from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[])
             as v (test_id, broken_since, flaky_since, last_flaky_at)
           where t.integration_id = $1 and t.test_id = v.test_id and t.test_id = ${anyOf('$2')}
             and (t.broken_since, t.flaky_since, t.last_flaky_at) is distinct from (v.broken_since, v.flaky_since, v.last_flaky_at)`,
    values: [integrationId, ...columnsOf(verdicts, 'testId', 'brokenSince', 'flakySince', 'lastFlakyAt')],
  });
}
