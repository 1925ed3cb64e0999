/** What the jobs of an attempt and the runs after it say about its conclusion. */
export interface AttemptFacts {
  conclusion: string | null;
  /** A job failed, and not because others were cancelled before it began. */
  hasOwnFailure: boolean;
  hasCancelledJob: boolean;
  /** A job exceeded its time limit. */
  hasTimedOutJob: boolean;
  /** The next run of the same workflow, branch and event, if it began before the end of this attempt. */
  newerRunId: number | null;
}

export type SettledConclusion =
  | { conclusion: 'timed_out'; supersededBy: null }
  | { conclusion: 'cancelled'; supersededBy: number };

/**
 * The conclusion of an attempt that the forge reports as cancelled or failed although its jobs say something else. Undefined when the
 * forge's conclusion stands. A run without jobs that failed could not start.
 */
export function settledConclusion(facts: AttemptFacts): SettledConclusion | undefined {
  const { conclusion, newerRunId } = facts;
  const isCancelled = conclusion === 'cancelled';
  if (isCancelled && facts.hasTimedOutJob) return { conclusion: 'timed_out', supersededBy: null };
  const wasOnlyCancelled =
    !facts.hasOwnFailure && !facts.hasTimedOutJob && (isCancelled || facts.hasCancelledJob);
  const mayBeSuperseded = isCancelled || conclusion === 'failure';
  return mayBeSuperseded && wasOnlyCancelled && newerRunId !== null
    ? { conclusion: 'cancelled', supersededBy: newerRunId }
    : undefined;
}
