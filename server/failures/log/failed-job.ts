import { isFailed } from '#contract/runs/conclusions.ts';
import type { JobStep } from '#contract/runs/runs.ts';
import type { Annotation } from '#server/forges/port.ts';

/** The facts about a job with which its log is read. */
export interface FailedJob {
  /** All steps in their order, with times to the second. Empty when the forge reports none. */
  steps: readonly ReadStep[];
  /** In the order of the forge. */
  annotations: readonly FailureAnnotation[];
}

export type ReadStep = Omit<JobStep, 'status'>;

export type FailureAnnotation = Pick<Annotation, 'level' | 'title' | 'message' | 'path'>;

/** Later ones are left out: they seldom explain more. */
const maxFailedSteps = 5;

/** A job that runs out of time has a cancelled step and no failed one. */
export function failedSteps({ steps }: FailedJob): ReadStep[] {
  const failed = steps.filter(({ conclusion }) => isFailed(conclusion));
  const cancelled = steps.filter(({ conclusion }) => conclusion === 'cancelled');
  return (failed.length > 0 ? failed : cancelled).slice(0, maxFailedSteps);
}
