import type { Tx } from '#platform/database/database.ts';
import { flakyDays } from '#contract/tests/tests.ts';

/** How long a failure on another branch says something about a failure. */
const otherBranchDays = 30;

/** Of an attempt in which everything failed, not every failure is compared with others. */
const countedFailures = 1000;

export interface RunAttempt {
  runId: number;
  attempt: number;
}

export interface RunFailureRow {
  runId: number;
  testId: string;
  reportId: string;
  isFlaky: boolean;
  isNew: boolean;
  sealedText: Buffer | null;
}

/** Whether the test `t` had not flaked before its failure `f`, nor since. */
const wasSteady = `(t.last_flaky_at is null or t.last_flaky_at < f.at - interval '${flakyDays} days')`;

/** Failures of attempts, those that did not pass on the same commit first, at most `limit` of each. */
export function listRunFailures(
  tx: Tx,
  integrationId: string,
  attempts: readonly RunAttempt[],
  limit: number,
): Promise<RunFailureRow[]> {
  return tx.rows<RunFailureRow>(
    `select k.run_id::float8 as "runId", f.test_id as "testId", f.report_id as "reportId", f.is_flaky as "isFlaky",
       f.is_new as "isNew", f.sealed_text as "sealedText"
     from unnest($2::bigint[], $3::integer[]) as k (run_id, attempt)
     cross join lateral (
       select f.*, not f.is_flaky and case
           when f.on_main then coalesce(t.broken_since = f.at, false) or f.counts and coalesce(t.broken_since > f.at, true) and ${wasSteady}
             and (f.follows_pass or not exists (
               select from test_failures e
               where e.integration_id = $1 and e.test_id = f.test_id and e.at < f.at and e.counts and e.on_main))
           else t.broken_since is null and ${wasSteady}
             and not exists (
               select from test_failures e
               where e.integration_id = $1 and e.test_id = f.test_id and e.at >= f.at - interval '${otherBranchDays} days'
                 and e.at < f.at and e.counts and (e.on_main or e.branch is distinct from f.branch))
           end as is_new
       from (select * from test_failures
             where integration_id = $1 and run_id = k.run_id and attempt = k.attempt
             order by is_flaky, test_id limit ${countedFailures}) f
       join tests t on t.integration_id = $1 and t.test_id = f.test_id
       order by f.is_flaky, is_new desc, f.test_id limit $4) f
     order by k.run_id, f.is_flaky, f.is_new desc, f.test_id`,
    [integrationId, attempts.map(({ runId }) => runId), attempts.map(({ attempt }) => attempt), limit],
  );
}

export interface TotalsRow {
  runId: number;
  tests: number;
  failed: number;
  skipped: number;
  flaky: number;
}

/** The sums of the reports of attempts, without those that wait. Attempts without a report are missing. */
export function sumReports(
  tx: Tx,
  integrationId: string,
  attempts: readonly RunAttempt[],
): Promise<TotalsRow[]> {
  return tx.rows<TotalsRow>(
    `select k.run_id::float8 as "runId", sum(r.tests)::int as tests, sum(r.failures)::int as failed,
       sum(r.skips)::int as skipped, sum(r.flakes)::int as flaky
     from unnest($2::bigint[], $3::integer[]) as k (run_id, attempt)
     join test_reports r on r.integration_id = $1 and r.run_id = k.run_id and r.attempt = k.attempt
       and r.sealed_results is null
     group by k.run_id`,
    [integrationId, attempts.map(({ runId }) => runId), attempts.map(({ attempt }) => attempt)],
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

/** Those that do not wait. */
export function listReports(
  tx: Tx,
  integrationId: string,
  { runId, attempt }: RunAttempt,
): Promise<ReportRow[]> {
  return tx.rows<ReportRow>(
    `select report_id as "reportId", job, job_id::float8 as "jobId", suite, format, tests, failures as failed, skips as skipped,
       flakes as flaky, duration_ms::float8 as "durationMs", is_mass_failure as "isMassFailure", faults,
       received_at as "receivedAt"
     from test_reports where integration_id = $1 and run_id = $2 and attempt = $3 and sealed_results is null order by received_at, report_id limit 500`,
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
