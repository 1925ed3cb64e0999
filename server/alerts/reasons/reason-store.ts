import type { Failure } from '#contract/alerts/incidents.ts';
import type { InfrastructureFault } from '#contract/failures/failure-reason.ts';
import type { Tx } from '#platform/database/database.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { branchOfRun } from '#server/runs/objects/branch-of-run.ts';

type FailedJob = Pick<Failure, 'runId' | 'attempt' | 'jobId'>;

export interface ReasonRow {
  job_id: string;
  failure_group_id: string;
  repository: string;
  workflow: string | null;
  job: string;
  step: string | null;
  error_line: string;
  infrastructure: InfrastructureFault | null;
  branch: string | null;
  on_default_branch: boolean;
  failed_at: Date;
  is_marked_flaky: boolean;
}

/** The reason of the job; for a run that of the job that failed first. */
export function findReason(
  tx: Tx,
  integrationId: string,
  { runId, attempt, jobId }: FailedJob,
): Promise<ReasonRow | undefined> {
  return tx.row<ReasonRow>(
    `select f.job_id, f.failure_group_id, f.repository, g.workflow, f.job, f.step, f.error_line, f.infrastructure, f.branch,
       f.on_default_branch, f.failed_at, coalesce(g.status = 'flaky', false) as is_marked_flaky
     from failure_reasons f
     left join failure_groups g on g.integration_id = $1 and g.failure_group_id = f.failure_group_id
     where f.integration_id = $1 and f.run_id = $2 and f.attempt = $3 and ($4::bigint is null or f.job_id = $4)
     order by f.failed_at, f.job_id limit 1`,
    [integrationId, runId, attempt, jobId],
  );
}

/**
 * Whether the reason of the job, or the reason or the commits of the run are being read, and have been for less than `awaitReasonMs`, or its
 * conclusion is being decided, and has been for less than `awaitConclusionMs`. The first bad commit also depends on the conclusions of earlier runs
 * of the branch.
 */
export function isReasonPending(
  tx: Tx,
  integrationId: string,
  { runId, attempt, jobId }: FailedJob,
  { awaitReasonMs, awaitConclusionMs }: Pick<AlertPolicy, 'awaitReasonMs' | 'awaitConclusionMs'>,
): Promise<boolean> {
  return tx.some(
    `select 1 from pending_failures where group_id = $1 and run_id = $2 and attempt = $3
       and ($4::bigint is null or job_id = $4) and noted_at > now() - $5 * interval '1 ms'
     union all
     select 1 from pending_conclusions p
     join workflow_runs o on o.integration_id = $1 and o.run_id = p.run_id
     join workflow_runs r on r.integration_id = $1 and r.run_id = $2
     where p.group_id = $1 and p.noted_at > now() - $6 * interval '1 ms'
       and (o.run_id = r.run_id and p.attempt = $3 and $4::bigint is null
         or o.run_id < r.run_id and o.workflow_key = r.workflow_key
           and ${branchOfRun('o')} is not distinct from ${branchOfRun('r')})
     union all
     select 1 from commit_ranges where integration_id = $1 and run_id = $2 and state = 'waiting'
       and requested_at > now() - $5 * interval '1 ms' limit 1`,
    [integrationId, runId, attempt, jobId, awaitReasonMs, awaitConclusionMs],
  );
}
