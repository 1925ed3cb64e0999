import type { Occurrence } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';

export type OccurrenceRow = Omit<Occurrence, 'failedAt'> & { failedAt: Date };

/** Newest first. */
export function listOccurrences(
  tx: Tx,
  integrationId: string,
  groupId: string,
  most: number,
): Promise<OccurrenceRow[]> {
  return tx.rows<OccurrenceRow>(
    `select f.run_id::float8 as "runId", f.attempt, f.job_id::float8 as "jobId", f.job, f.branch,
       r.run_number::float8 as "runNumber", r.title, r.actor, f.failed_at as "failedAt"
     from (select * from failure_reasons where integration_id = $1 and failure_group_id = $2
           order by failed_at desc, run_id desc limit $3) f
     left join workflow_runs r on r.integration_id = $1 and r.run_id = f.run_id
     order by f.failed_at desc, f.run_id desc, f.job_id desc`,
    [integrationId, groupId, most],
  );
}

export interface SealedRow {
  runId: number;
  attempt: number;
  jobId: number;
  sealedExcerpt: Buffer;
}

/** The newest of the last failures that has an excerpt. */
export function findNewestExcerpt(
  tx: Tx,
  integrationId: string,
  groupId: string,
  most: number,
): Promise<SealedRow | undefined> {
  return tx.row<SealedRow>(
    `select run_id::float8 as "runId", attempt, job_id::float8 as "jobId", sealed_excerpt as "sealedExcerpt" from (
       select * from failure_reasons where integration_id = $1 and failure_group_id = $2
       order by failed_at desc, run_id desc limit $3) f
     where sealed_excerpt is not null order by failed_at desc limit 1`,
    [integrationId, groupId, most],
  );
}

export interface FailedTestRow {
  testId: string;
  name: string;
  failures: number;
}

/** Tests that failed in these jobs, as far as reports told. A job that was not known when its report arrived is found by its name. */
export function listTestsOfJobs(
  tx: Tx,
  integrationId: string,
  jobs: readonly Pick<Occurrence, 'runId' | 'attempt' | 'jobId' | 'job'>[],
): Promise<FailedTestRow[]> {
  return tx.rows<FailedTestRow>(
    `select f.test_id as "testId", t.name, count(*)::int as failures
     from unnest($2::bigint[], $3::integer[], $4::bigint[], $5::text[]) as j (run_id, attempt, job_id, job)
     join test_failures f on f.integration_id = $1 and f.run_id = j.run_id and f.attempt = j.attempt and f.counts
       and (f.job_id = j.job_id or f.job_id is null and f.job = j.job)
     join tests t on t.integration_id = $1 and t.test_id = f.test_id
     group by 1, 2 order by failures desc, t.name limit 10`,
    [
      integrationId,
      jobs.map(({ runId }) => runId),
      jobs.map(({ attempt }) => attempt),
      jobs.map(({ jobId }) => jobId),
      jobs.map(({ job }) => job),
    ],
  );
}
