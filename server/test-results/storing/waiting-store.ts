import type { Tx } from '#platform/database/database.ts';
import type { ReceivedReport } from './report-store.ts';

export interface WaitingReport extends Omit<ReceivedReport, 'jobId'> {
  integrationId: string;
  reportId: string;
  isArtifact: boolean;
  /** A bigint as text. Null if its sender may report for all repositories. */
  repositoryKey: string | null;
}

export const waitingQuery = 'select from test_reports where sealed_results is not null';

const shown = `w.integration_id as "integrationId", w.report_id as "reportId", w.hash, w.run_id::float8 as run, w.attempt, w.job,
  w.suite, w.format, w.faults, w.of_artifact as "isArtifact", w.repository_key::text as "repositoryKey", json_build_object('tests', w.tests, 'failed', w.failures, 'skipped', w.skips,
    'flaky', w.flakes, 'durationMs', w.duration_ms) as totals`;

/** In the scope of the service. */
export function listIntegrationsWaiting(tx: Tx): Promise<string[]> {
  return tx.column<string>(
    'select distinct integration_id from test_reports where sealed_results is not null',
  );
}

/** Whether an event said that an attempt of the run `r` began. Without events of runs those of its jobs say so. */
const beganAttempt = (attempt: string): string => `(${attempt} <= r.attempt or exists (
    select from workflow_jobs j where j.integration_id = r.integration_id and j.run_id = r.run_id and j.attempt = ${attempt}))`;

/** How long a report waits for the event of its job. */
const jobWait = `interval '10 minutes'`;

/**
 * Whether a job is named by an id of GitHub that is not known, although other jobs of the attempt are: its event is on the way. Without events
 * of jobs nothing is waited for.
 */
const awaitsJob = (run: string, attempt: string, job: string): string => `${job} ~ '^[1-9][0-9]{8,14}$'
  and exists (select from workflow_jobs j where j.integration_id = $1 and j.run_id = ${run} and j.attempt = ${attempt})
  and not exists (
    select from workflow_jobs j
    where j.integration_id = $1 and j.run_id = ${run} and j.attempt = ${attempt} and ${job} in (j.job_id::text, j.name))`;

/** Whether an event of the attempt of a known run, or of the job, is on the way. */
export async function isAwaited(
  tx: Tx,
  integrationId: string,
  { run, attempt, job }: Pick<WaitingReport, 'run' | 'attempt' | 'job'>,
): Promise<boolean> {
  const awaited = await tx.value<boolean>(
    `select not ${beganAttempt('$3::integer')} or ${awaitsJob('$2::bigint', '$3::integer', '$4::text')}
     from workflow_runs r where r.integration_id = $1 and r.run_id = $2`,
    [integrationId, run, attempt, job],
  );
  return awaited === true;
}

/** The oldest waiting reports whose run and attempt are known, and their job, if that may still become known. */
export function listReady(tx: Tx, integrationId: string): Promise<WaitingReport[]> {
  return tx.rows<WaitingReport>(
    `select ${shown} from test_reports w
     join workflow_runs r on r.integration_id = w.integration_id and r.run_id = w.run_id
     where w.integration_id = $1 and w.sealed_results is not null and ${beganAttempt('w.attempt')}
       and (w.received_at < now() - ${jobWait} or not (${awaitsJob('w.run_id', 'w.attempt', 'w.job')}))
     order by w.received_at limit 20`,
    [integrationId],
  );
}

export function listTooOld(tx: Tx, integrationId: string, before: Date): Promise<WaitingReport[]> {
  return tx.rows<WaitingReport>(
    `select ${shown} from test_reports w
     where w.integration_id = $1 and w.sealed_results is not null and w.received_at < $2 limit 100`,
    [integrationId, before],
  );
}

export async function countWaiting(tx: Tx, integrationId: string, most: number): Promise<number> {
  const count = await tx.value<number>(
    `select count(*)::int from (
       select from test_reports where integration_id = $1 and sealed_results is not null limit $2) w`,
    [integrationId, most],
  );
  return count ?? 0;
}

export async function holdResults(
  tx: Tx,
  integrationId: string,
  reportId: string,
  sealed: Buffer,
): Promise<void> {
  await tx.query('update test_reports set sealed_results = $3 where integration_id = $1 and report_id = $2', [
    integrationId,
    reportId,
    sealed,
  ]);
}

/** Deletes a waiting report and returns its sealed results. Undefined if it does not wait any more. */
export function deleteReport(tx: Tx, integrationId: string, reportId: string): Promise<Buffer | undefined> {
  return tx.value<Buffer>(
    `delete from test_reports where integration_id = $1 and report_id = $2 and sealed_results is not null
     returning sealed_results`,
    [integrationId, reportId],
  );
}
