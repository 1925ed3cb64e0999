import type { Tx } from '#platform/database/database.ts';

interface AttemptOfRun {
  run: number;
  attempt: number;
}

/** What the stored reports of a suite in an attempt say together. */
export interface SuiteSums {
  suite: string;
  reports: number;
  /** Tests that were not skipped. */
  ran: number;
  failed: number;
  isMassFailure: boolean;
}

const ofAttempt = 'integration_id = $1 and run_id = $2 and attempt = $3';
const ofOthers = `report_id in (select report_id from test_reports where ${ofAttempt} and report_id <> $4 and suite = any ($5))`;

export function sumSuites(
  tx: Tx,
  integrationId: string,
  { run, attempt }: AttemptOfRun,
): Promise<SuiteSums[]> {
  return tx.rows<SuiteSums>({
    name: 'sum-reports-of-attempt',
    text: `select suite, count(*)::int as reports, coalesce(sum(tests - skips), 0)::float8 as ran,
             coalesce(sum(failures), 0)::float8 as failed, coalesce(bool_or(is_mass_failure), false) as "isMassFailure"
           from test_reports where ${ofAttempt} and sealed_results is null group by suite`,
    values: [integrationId, run, attempt],
  });
}

/** A report whose results count from now on, or count no more. */
export interface RecountedReport {
  reportId: string;
  suite: string;
  job: string;
  headSha: string | null;
  onMain: boolean;
  at: Date;
  /** Tests that failed, or passed after a retry. */
  failed: string[];
  counts: boolean;
}

/** Lets the results of the other reports of suites in the attempt count, or not. Their marks and the counts of their days follow. */
export async function recountOthers(
  tx: Tx,
  integrationId: string,
  {
    run,
    attempt,
    reportId,
    suites,
    counts,
  }: AttemptOfRun & { reportId: string; suites: string[]; counts: boolean },
): Promise<RecountedReport[]> {
  if (suites.length === 0) return [];
  const values = [integrationId, run, attempt, reportId, suites];
  const reports = await tx.rows<Omit<RecountedReport, 'failed' | 'counts'>>({
    name: 'recount-reports-of-attempt',
    text: `update test_reports set is_mass_failure = not $6
           where ${ofAttempt} and report_id <> $4 and suite = any ($5) and sealed_results is null
           returning report_id as "reportId", suite, job, head_sha as "headSha", on_main as "onMain", at`,
    values: [...values, counts],
  });
  await tx.query({
    name: 'recount-failures-of-attempt',
    text: `with old as materialized (
             select test_id, report_id, (at at time zone 'UTC')::date as day, on_main, is_flaky,
               lost_ms + case when passed then coalesce(duration_ms, 0) else 0 end as lost_ms
             from test_failures where ${ofAttempt} and ${ofOthers} and counts <> $6
           ), changed as (
             update test_failures f set counts = $6, is_flaky = f.passed, is_flip = false, follows_pass = false, lost_ms = 0
             from old where f.integration_id = $1 and f.test_id = old.test_id and f.report_id = old.report_id
           )
           insert into test_days as d (integration_id, test_id, day, on_main, failures, flakes, lost_ms)
           select $1, test_id, day, on_main, $7::bigint * count(*), $7 * count(*) filter (where is_flaky), $7 * sum(lost_ms)
           from old group by test_id, day, on_main
           on conflict (integration_id, test_id, day, on_main) do update set
             failures = d.failures + excluded.failures, flakes = d.flakes + excluded.flakes,
             lost_ms = d.lost_ms + excluded.lost_ms`,
    values: [...values, counts, counts ? 1 : -1],
  });
  if (!counts) await forgetLastFailures(tx, values);
  const failures = await tx.rows<{ reportId: string; testId: string }>(
    `select report_id as "reportId", test_id as "testId" from test_failures where ${ofAttempt} and ${ofOthers}`,
    values,
  );
  const byReport = Map.groupBy(failures, (failure) => failure.reportId);
  return reports.map((report) => ({
    ...report,
    counts,
    failed: (byReport.get(report.reportId) ?? []).map(({ testId }) => testId),
  }));
}

async function forgetLastFailures(tx: Tx, values: readonly unknown[]): Promise<void> {
  await tx.query({
    name: 'forget-last-failures',
    text: `update tests t set last_failed_at = (
             select max(f.at) from test_failures f where f.integration_id = $1 and f.test_id = t.test_id and f.counts)
           from (select test_id, max(at) as at from test_failures where ${ofAttempt} and ${ofOthers} group by 1) x
           where t.integration_id = $1 and t.test_id = x.test_id and t.last_failed_at <= x.at`,
    values: [...values],
  });
}
