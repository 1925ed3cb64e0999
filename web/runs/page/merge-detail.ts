import {
  RunAttempt,
  type WorkflowJob,
  type WorkflowRun,
  type WorkflowRunDetail,
} from '#contract/runs/runs.ts';
import type { UpdateMessage } from '#contract/runs/realtime.ts';

const attemptFields = Object.keys(RunAttempt.properties) as (keyof RunAttempt)[];

/** Merges an update into the details of a run. It may concern another run and contains a whole run or job. */
export function mergeDetail(detail: WorkflowRunDetail, { type, data }: UpdateMessage): WorkflowRunDetail {
  if (data.runId !== detail.run.runId) return detail;
  return type === 'workflow_run'
    ? withRun(detail, data as WorkflowRun)
    : withJob(detail, data as WorkflowJob);
}

function withRun(detail: WorkflowRunDetail, run: WorkflowRun): WorkflowRunDetail {
  const attempt = Object.fromEntries(attemptFields.map((field) => [field, run[field]])) as RunAttempt;
  const others = detail.attempts.filter((other) => other.attempt !== run.attempt);
  const attempts = [...others, attempt].sort((a, b) => a.attempt - b.attempt);
  return { ...detail, run, attempts };
}

/** Replaces the job or appends it, in order of creation. */
function withJob(detail: WorkflowRunDetail, job: WorkflowJob): WorkflowRunDetail {
  const at = detail.jobs.findIndex(({ jobId }) => jobId === job.jobId);
  const jobs = at === -1 ? [...detail.jobs, job] : detail.jobs.with(at, job);
  return { ...detail, jobs };
}
