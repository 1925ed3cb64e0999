import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { ParsedReport } from '../parsing/case-collector.ts';
import type { ReportTotals } from './sum-report.ts';

/** The attempt of a run that a report is about. */
export interface RunOfReport {
  repository: string;
  /** A bigint as text. */
  repositoryKey: string;
  headSha: string | null;
  headBranch: string | null;
  onMain: boolean;
  /**
   * When the attempt started: the time that its results count for, whenever the report arrives. A re-run of a run of the default branch
   * counts before the next run: it says nothing about newer commits.
   */
  at: Date;
}

/** Whether the integration receives webhooks from more than one forge, so that a number may be the id of two runs. */
export function hasSeveralForges(tx: Tx, integrationId: string): Promise<boolean> {
  return tx.some('select from repositories where integration_id = $1 and forge_place > 0 limit 1', [
    integrationId,
  ]);
}

/** The place of the forge at a host, see `forge-ids.ts`. Undefined while none of its events is stored. */
export function findPlace(tx: Tx, integrationId: string, host: string): Promise<number | undefined> {
  return tx.value<number>(
    'select forge_place from repositories where integration_id = $1 and host = $2 limit 1',
    [integrationId, host],
  );
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
             least(coalesce(case when r.attempt = $3 then r.started_at else a.started_at end, r.created_at),
               newer.created_at - interval '1 ms') as at
           from workflow_runs r
           left join workflow_run_attempts a
             on a.integration_id = r.integration_id and a.run_id = r.run_id and a.attempt = $3
           left join lateral (
             select w.created_at from workflow_runs w
             where w.integration_id = $1 and w.on_default_branch and w.workflow_key = r.workflow_key
               and (w.created_at, w.run_id) > (r.created_at, r.run_id) and w.created_at > r.created_at
             order by w.created_at, w.run_id limit 1) newer on r.on_default_branch and $3 > 1
           where r.integration_id = $1 and r.run_id = $2`,
    values: [integrationId, run, attempt],
  });
}

/**
 * The job of the run, if the sender named it by its id or by its only name. It is called by its name then, because each attempt has other
 * ids. An id of GitHub that did not become known gives no name, because results under it would be compared with none.
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
  if (found === undefined && idOfGithub.test(job)) return { jobId: Number(job), job: '' };
  if (found === undefined || others.length > 0) return { jobId: null, job };
  return { jobId: found.jobId, job: found.name ?? job };
}

/** Shorter numbers are names of jobs, such as the number of a part. */
export const idOfGithub = /^[1-9]\d{8,14}$/;

/** A report with what its sender said about it. */
export interface ReceivedReport {
  hash: Buffer;
  run: number;
  attempt: number;
  job: string;
  jobId: number | null;
  suite: string;
  format: ParsedReport['format'];
  faults: readonly string[];
  totals: ReportTotals;
  /** Read from an artifact. */
  isArtifact?: boolean;
}

export interface NewReport extends ReceivedReport {
  /** Most tests of its attempt fail, so that its results do not count. */
  isMassFailure: boolean;
  /** Undefined while the run is not known. */
  about: RunOfReport | undefined;
  /** The repository that the run must belong to, as far as the sender is bound to one. */
  repository?: string | undefined;
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
             head_branch, on_main, format, tests, failures, skips, flakes, duration_ms, faults, is_mass_failure, at, of_artifact)
           values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, hashtextextended($21, 0)), $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $22)
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
      report.isMassFailure,
      about?.at ?? null,
      report.repository ?? null,
      report.isArtifact ?? false,
    ],
  });
}

/** Notes which tests passed in a report. */
export async function savePassed(
  tx: Tx,
  integrationId: string,
  reportId: string,
  passed: Buffer,
): Promise<void> {
  await tx.query('update test_reports set passed = $3 where integration_id = $1 and report_id = $2', [
    integrationId,
    reportId,
    passed,
  ]);
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

/**
 * A report of the attempt that came the other way. An attempt takes uploads or artifacts, whichever is first, because both hold the same tests
 * under other labels. A waiting upload of another repository, which will be dropped, does not count.
 */
export function findOtherWay(
  tx: Tx,
  integrationId: string,
  { run, attempt, isArtifact = false }: { run: number; attempt: number; isArtifact?: boolean },
  { repositoryKey }: Pick<RunOfReport, 'repositoryKey'>,
): Promise<KnownReport | undefined> {
  return tx.row<KnownReport>({
    name: 'find-report-of-other-way',
    text: `select report_id as "reportId", sealed_results is not null as "isWaiting" from test_reports r
           where ${ofOtherWay('$2', '$3', '$4', '$5')} limit 1`,
    values: [integrationId, run, attempt, isArtifact, repositoryKey],
  });
}

/** Reports `r` of an attempt that are artifacts if `isArtifact` is false, and uploads otherwise. */
export const ofOtherWay = (run: string, attempt: string, isArtifact: string, repositoryKey: string): string =>
  `r.integration_id = $1 and r.run_id = ${run} and r.attempt = ${attempt} and r.of_artifact <> ${isArtifact}
   and (r.repository_key is null or r.repository_key = ${repositoryKey})`;

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
  /** After a retry. */
  passed: boolean;
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
    job: string;
    counts: boolean;
  },
  { headSha, headBranch, onMain, at }: RunOfReport,
  failures: readonly NewFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  await tx.query({
    name: 'insert-test-failures',
    text: `insert into test_failures (integration_id, report_id, run_id, attempt, job_id, job, counts, head_sha, branch,
             on_main, at, test_id, passed, is_flaky, message_key, sealed_text, duration_ms, retries)
           select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, c.test_id, c.passed, c.passed, message_key, sealed_text,
             duration_ms, retries
           from unnest($12::uuid[], $13::boolean[], $14::bigint[], $15::bytea[], $16::int[], $17::int[])
             as c (test_id, passed, message_key, sealed_text, duration_ms, retries)`,
    values: [
      integrationId,
      report.reportId,
      report.run,
      report.attempt,
      report.jobId,
      report.job,
      report.counts,
      headSha,
      headBranch,
      onMain,
      at,
      ...columnsOf(failures, 'testId', 'passed', 'messageKey', 'sealedText', 'durationMs', 'retries'),
    ],
  });
}
