import type { TestState } from '#contract/tests/tests.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** A flaky test heals after this time without a flake, and a new one is not new any more. */
export const flakyMs = 14 * dayMs;
const newMs = 7 * dayMs;

/** A test has vanished when its suite ran this often on the default branch without it. */
export const runsUntilVanished = 10;

/** An attempt in which more than half of at least this many tests fail says nothing about single tests. */
const massFailureTests = 20;

export function isMassFailure(ran: number, failed: number): boolean {
  return ran >= massFailureTests && failed * 2 > ran;
}

/** What is known about a test, as times in milliseconds. */
export interface TestEvidence {
  firstOnMainAt: number | null;
  lastFlakyAt: number | null;
  brokenSince: number | null;
  /** Reports of its suite on the default branch after the day on which it was last seen. */
  runsWithout: number;
}

/** The state of a test at a time. A broken test is not called flaky, because a broken test must be fixed. */
export function stateOf(evidence: TestEvidence, now: number): TestState {
  const { brokenSince, lastFlakyAt, firstOnMainAt, runsWithout } = evidence;
  if (runsWithout >= runsUntilVanished) return 'vanished';
  if (brokenSince !== null) return 'broken';
  if (lastFlakyAt !== null && lastFlakyAt > now - flakyMs) return 'flaky';
  if (firstOnMainAt !== null && firstOnMainAt > now - newMs) return 'new';
  return 'healthy';
}

/** A test that goes from pass to failure this often within 14 days on the default branch is flaky. */
export const flipsUntilFlaky = 3;

/** How often a test went from pass to failure in the reports of a leg, which are in the order of their times. */
export function countFlips(reports: readonly Date[], failures: readonly Date[]): number {
  const failed = new Set(failures.map((at) => at.getTime()));
  let flips = 0;
  let before = true;
  for (const at of reports) {
    const isFailed = failed.has(at.getTime());
    if (isFailed && !before) flips += 1;
    before = isFailed;
  }
  return flips;
}
