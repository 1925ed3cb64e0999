import type { TestDay } from '#contract/tests/tests.ts';

/** The average duration of a result in the last days, skipped ones excluded. Null when there is none. */
export function meanDuration(days: readonly TestDay[], last: number, now = Date.now()): number | null {
  const first = new Date(now - (last - 1) * 86_400_000).toISOString().slice(0, 10);
  const counted = days.filter(({ day }) => day >= first);
  // A pass that needed a retry counts as a failure, too, so this counts a flaky result twice at most.
  const results = counted.reduce((sum, { passes, failures }) => sum + passes + failures, 0);
  return results === 0 ? null : counted.reduce((sum, { durationMs }) => sum + durationMs, 0) / results;
}
