import type { RunAttempt } from '#contract/runs/runs.ts';
import { endOf } from '../run-end.ts';

/** The newest attempt that passed and the newest failed one before it; undefined unless a failure was followed by a success. */
export function passedOnRerun(
  attempts: readonly RunAttempt[],
): { failed: number; passed: number } | undefined {
  const passed = attempts.findLast((attempt) => endOf(attempt) === 'passed');
  const failed = attempts.findLast(
    (attempt) => passed !== undefined && attempt.attempt < passed.attempt && endOf(attempt) === 'failed',
  );
  return passed === undefined || failed === undefined
    ? undefined
    : { failed: failed.attempt, passed: passed.attempt };
}
