/** The facts about a job with which its log is read. */
export interface FailedJob {
  /** All steps in their order, as the forge reports them. Empty when it reports none. */
  steps: readonly JobStep[];
  /** In the order of the forge. */
  annotations: readonly FailureAnnotation[];
}

/** The times are ISO 8601 and accurate to the second. */
export interface JobStep {
  number: number;
  name: string;
  conclusion: string | null;
  startedAt: string | null;
  completedAt: string | null;
}

export interface FailureAnnotation {
  level: 'notice' | 'warning' | 'failure';
  title: string | null;
  message: string;
}

/** Later ones are left out: they seldom explain more. */
const maxFailedSteps = 5;

/** A job that runs out of time has a cancelled step and no failed one. */
export function failedSteps({ steps }: FailedJob): JobStep[] {
  const failed = steps.filter(({ conclusion }) => conclusion === 'failure' || conclusion === 'timed_out');
  const cancelled = steps.filter(({ conclusion }) => conclusion === 'cancelled');
  return (failed.length > 0 ? failed : cancelled).slice(0, maxFailedSteps);
}
