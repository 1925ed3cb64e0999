import { Type, type Static } from 'typebox';

/** How long runs and jobs usually take. */

/** The successes that are measured, the newest before the run. */
export const measuredSuccesses = 20;
/** With fewer of them nothing is usual. */
export const leastSuccesses = 3;

/** Medians of the last successes of the same workflow, job and branch class (default branch or not) before the run. */
export const UsualDurations = Type.Object({
  /** Null when too few successes are known. */
  runMs: Type.Union([Type.Integer(), Type.Null()]),
  /** Only jobs with enough successes. */
  jobs: Type.Array(Type.Object({ name: Type.String(), ms: Type.Integer() })),
});
export type UsualDurations = Static<typeof UsualDurations>;

/** A difference below is not unusual: durations vary. */
const unusualShare = 0.25;
const unusualMs = 10_000;

/** Whether a duration differs so much from the usual one that it is marked. */
export function isUnusual(ms: number, usualMs: number): boolean {
  return Math.abs(ms - usualMs) >= Math.max(unusualMs, usualMs * unusualShare);
}
