import type { WorkflowJob } from '#contract/runs/runs.ts';
import { statusOf } from '../run-status.ts';

export interface Reason {
  job: WorkflowJob;
  /** Undefined when the job failed outside its steps, for example without a runner. */
  step: string | undefined;
}

/** The failed jobs of an attempt, each with its first failed step. */
export function reasonsOf(jobs: readonly WorkflowJob[]): Reason[] {
  return jobs
    .filter((job) => statusOf(job).tone === 'failed')
    .map((job) => ({ job, step: job.steps.find((step) => statusOf(step).tone === 'failed')?.name }));
}
