import type { TestDay } from '#contract/tests/tests.ts';

/** The average duration of a pass in the last days. Null when there is none. */
export function meanDuration(days: readonly TestDay[], last: number, now = Date.now()): number | null {
  const first = new Date(now - (last - 1) * 86_400_000).toISOString().slice(0, 10);
  const counted = days.filter(({ day }) => day >= first);
  const results = counted.reduce((sum, { passes }) => sum + passes, 0);
  return results === 0 ? null : counted.reduce((sum, { durationMs }) => sum + durationMs, 0) / results;
}
