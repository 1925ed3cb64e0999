import type { Assessment, CheckFailure } from '#contract/failures/failures.ts';
import type { JobStep } from '#contract/runs/runs.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { listPendingJobs, type PendingFailure } from '../storing/pending-store.ts';
import { reasonFromSteps } from '../storing/reason-from-steps.ts';
import { assess } from './assess.ts';
import { listReasons, type ReasonRow } from './run-reason-store.ts';

/** Different failures with an assessment in one answer: each takes some index reads. */
const maxAssessed = 20;

export interface FailedJob extends PendingFailure {
  integrationId: string;
  repository: string;
  name: string;
  conclusion: string | null;
  steps: JobStep[];
}

export interface ExplainedJob<Job> {
  job: Job;
  failure: CheckFailure;
  sealedExcerpt: Buffer | null;
}

/** Why each of these failed jobs failed, in their order. The caller bounds their number. */
export async function explainJobs<Job extends FailedJob>(
  tx: Tx,
  integrationId: string,
  jobs: readonly Job[],
  { withExcerpts }: { withExcerpts: boolean },
): Promise<ExplainedJob<Job>[]> {
  if (jobs.length === 0) return [];
  const [reasons, pending] = await Promise.all([
    listReasons(tx, integrationId, jobs, withExcerpts),
    listPendingJobs(tx, integrationId, jobs),
  ]);
  const byJob = new Map(reasons.map((reason) => [Number(reason.job_id), reason]));
  const assessments = await assessGroups(tx, jobs, byJob);
  return jobs.map((job) => {
    const reason = byJob.get(job.jobId);
    if (reason === undefined)
      return { job, failure: withoutReason(job, pending.has(job.jobId)), sealedExcerpt: null };
    const assessment = assessments.get(reason.failure_group_id) ?? null;
    return { job, failure: failureOf(reason, assessment), sealedExcerpt: reason.sealed_excerpt };
  });
}

/** The assessment of each group. Jobs of a matrix share their group and its assessment. */
async function assessGroups(
  tx: Tx,
  jobs: readonly FailedJob[],
  byJob: ReadonlyMap<number, ReasonRow>,
): Promise<Map<string, Assessment>> {
  const groups = new Map<string, Promise<Assessment>>();
  for (const { integrationId, runId, jobId, repository, name } of jobs) {
    const reason = byJob.get(jobId);
    if (reason === undefined || groups.has(reason.failure_group_id) || groups.size >= maxAssessed) continue;
    const { failure_group_id: groupId, workflow, branch, infrastructure } = reason;
    const assessment = sentAhead(
      assess(tx, {
        integrationId,
        groupId,
        repository,
        workflow,
        job: name,
        branch,
        runId,
        failedAt: reason.failed_at.toISOString(),
        onDefaultBranch: reason.on_default_branch,
        infrastructure,
        isMarkedFlaky: reason.group_status === 'flaky',
      }),
    );
    groups.set(groupId, assessment);
  }
  const all = await Promise.all([...groups].map(async ([id, assessment]) => [id, await assessment] as const));
  return new Map(all);
}

function failureOf(reason: ReasonRow, assessment: Assessment | null): CheckFailure {
  const { step, step_number: number, error_line: errorLine, group_status: groupStatus } = reason;
  return {
    step: step === null || number === null ? null : { number, name: step },
    errorLine,
    log: reason.without_log ?? 'read',
    groupId: groupStatus === null ? null : reason.failure_group_id,
    groupStatus,
    assessment,
  };
}

/** The job failed before reasons were stored, or its reason is not stored yet. */
function withoutReason(job: FailedJob, isPending: boolean): CheckFailure {
  const { step, errorLine } = reasonFromSteps(job);
  const log = isPending ? 'reading' : 'no_connection';
  return { step, errorLine, log, groupId: null, groupStatus: null, assessment: null };
}
