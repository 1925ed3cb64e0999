import type { TestState, TestSummary } from '#contract/tests/tests.ts';
import { formatCount, formatNumber, formatTenths } from '../ui/locale.ts';
import { formatDuration } from '../ui/time/format-duration.ts';

export const stateLabels: Record<TestState, string> = {
  broken: 'Broken',
  flaky: 'Flaky',
  slow: 'Slow',
  new: 'New',
  vanished: 'Vanished',
  healthy: 'Healthy',
};

/** The word for the state of a test. One that fails on other branches only is not called healthy. */
export function stateText({ state, otherBranches }: Pick<TestSummary, 'state' | 'otherBranches'>): string {
  return failsElsewhere({ state, otherBranches })
    ? `Failed on ${formatCount(otherBranches, 'other branch', 'other branches')}`
    : stateLabels[state];
}

export function failsElsewhere({
  state,
  otherBranches,
}: Pick<TestSummary, 'state' | 'otherBranches'>): boolean {
  return otherBranches > 0 && (state === 'healthy' || state === 'new');
}

/** Most tests take less than a second. */
export function milliseconds(ms: number): string {
  return ms < 1000
    ? `${Math.round(ms)} ms`
    : ms < 10_000
      ? `${formatTenths(ms / 1000)} s`
      : formatDuration(ms);
}

/** What became of failures that were tried again on the same commit. Undefined if none was. */
export function oddsText({
  retried,
  passedRetries,
}: Pick<TestSummary, 'retried' | 'passedRetries'>): string | undefined {
  return retried === 0
    ? undefined
    : `passed on retry ${formatNumber(passedRetries)} of ${formatNumber(retried)}`;
}

/** Where a test is: suite, class and file, without what its name says already. */
export function placeText({
  suite,
  className,
  name,
  file,
}: Pick<TestSummary, 'suite' | 'className' | 'name' | 'file'>): string {
  const parts = [suite, className, file ?? ''].filter((part) => part !== '' && part !== name);
  return [...new Set(parts)].join(' › ');
}

const dayMs = 86_400_000;
const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/** The day on which a test was last seen. Of a test that passes, only the day (UTC) is stored. */
export function lastSeenText(time: string, now = Date.now()): string {
  const days = dayOf(now) - dayOf(Date.parse(time));
  if (days <= 0) return 'today';
  return days === 1 ? 'yesterday' : `${days}d ago`;
}
