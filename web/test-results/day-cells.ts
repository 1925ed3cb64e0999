import type { TestDay } from '#contract/tests/tests.ts';
import { formatCount } from '../ui/locale.ts';

/** Days of a test's history. */
const shownDays = 90;
const dayMs = 86_400_000;

export interface DayCell {
  day: string;
  /** The worst result of the day. `flaky`: each failure passed on the same commit. */
  result: 'failed' | 'flaky' | 'passed' | 'none';
  text: string;
}

/** One cell for each of the last days, today last. */
export function dayCells(days: readonly TestDay[], onDefaultBranch: boolean, now = Date.now()): DayCell[] {
  const known = new Map(
    days.filter((each) => each.onDefaultBranch === onDefaultBranch).map((each) => [each.day, each]),
  );
  return Array.from({ length: shownDays }, (_, at) => {
    const day = new Date(now - (shownDays - 1 - at) * dayMs).toISOString().slice(0, 10);
    return cellOf(day, known.get(day));
  });
}

function cellOf(day: string, counts: TestDay | undefined): DayCell {
  const { passes = 0, failures = 0, flakes = 0 } = counts ?? {};
  const result = failures > flakes ? 'failed' : failures > 0 ? 'flaky' : passes > 0 ? 'passed' : 'none';
  const text =
    result === 'none'
      ? `${day}: not run`
      : `${day}: ${formatCount(passes, 'pass', 'passes')}, ${formatCount(failures, 'failure')}, ${flakes} passed on a retry`;
  return { day, result, text };
}
