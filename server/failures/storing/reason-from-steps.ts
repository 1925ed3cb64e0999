import { isFailed } from '#contract/runs/conclusions.ts';
import type { FailureReason } from '#contract/failures/failure-reason.ts';
import type { WorkflowJob } from '#contract/runs/runs.ts';

/** Why a job failed, as far as its steps tell. For jobs whose log is not read. */
export function reasonFromSteps({ conclusion, steps }: Pick<WorkflowJob, 'conclusion' | 'steps'>): Pick<
  FailureReason,
  'step' | 'infrastructure'
> & {
  errorLine: string;
} {
  const failed = steps.find((step) => isFailed(step.conclusion));
  const hasTimedOut = conclusion === 'timed_out' || failed?.conclusion === 'timed_out';
  const verb = hasTimedOut ? 'timed out' : 'failed';
  return {
    step: failed === undefined ? null : { number: failed.number, name: failed.name },
    errorLine: failed === undefined ? `The job ${verb}` : `Step ${failed.name} ${verb}`,
    infrastructure: hasTimedOut ? 'timeout' : null,
  };
}
