import type { WorkflowJob } from '#contract/monitoring.ts';
import { statusOf } from '../run-status.ts';

export interface Reason {
  job: WorkflowJob;
  /** Undefined when the job failed outside of its steps, as when no runner was found. */
  step: string | undefined;
}

/** Why an attempt is red: its failed jobs, each with the step that failed first. */
export function reasonsOf(jobs: readonly WorkflowJob[]): Reason[] {
  return jobs
    .filter((job) => statusOf(job).tone === 'failed')
    .map((job) => ({ job, step: job.steps.find((step) => statusOf(step).tone === 'failed')?.name }));
}
