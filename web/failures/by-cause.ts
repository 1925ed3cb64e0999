import type { JobFailure } from '#contract/failures/failures.ts';

export type EqualFailures = [JobFailure, ...JobFailure[]];

/** Failures of one group, step and assessment together, in the order of their first jobs. */
export function byCause(failures: readonly JobFailure[]): EqualFailures[] {
  const causes = new Map<string, EqualFailures>();
  for (const failure of failures) {
    const { groupId, jobId, step, assessment } = failure;
    const key = groupId === null ? String(jobId) : JSON.stringify([groupId, step?.name, assessment?.kind]);
    const equal = causes.get(key);
    if (equal) equal.push(failure);
    else causes.set(key, [failure]);
  }
  return [...causes.values()];
}
