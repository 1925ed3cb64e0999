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

export const isFailed = ({ conclusion }: JobStep): boolean =>
  conclusion === 'failure' || conclusion === 'timed_out';
