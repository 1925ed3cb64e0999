import { attemptFields } from '#contract/runs/run-facets.ts';
import type { RunAttempt, WorkflowJob, WorkflowRun, WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { UpdateMessage } from '#contract/runs/realtime.ts';

const attemptOf = (run: WorkflowRun): RunAttempt =>
  Object.fromEntries(attemptFields.map((name) => [name, run[name]])) as unknown as RunAttempt;

/** Merges an update into the details of a run. It may concern another run and contains a whole run or job. */
export function mergeDetail(detail: WorkflowRunDetail, { type, data }: UpdateMessage): WorkflowRunDetail {
  if (data.runId !== detail.run.runId) return detail;
  return type === 'workflow_run'
    ? withRun(detail, data as WorkflowRun)
    : withJob(detail, data as WorkflowJob);
}

function withRun(detail: WorkflowRunDetail, run: WorkflowRun): WorkflowRunDetail {
  const attempt = attemptOf(run);
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
