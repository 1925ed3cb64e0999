import { formatCount, formatNumber } from '../ui/locale.ts';

/** `1,204 tests: 2 failed, 1 passed on a retry, 12 skipped`. */
export function countsText({
  tests,
  failed,
  flaky,
  skipped,
}: {
  tests: number;
  failed: number;
  flaky: number;
  skipped: number;
}): string {
  const parts = [
    [failed, 'failed'],
    [flaky, 'passed on a retry'],
    [skipped, 'skipped'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`);
  return `${formatCount(tests, 'test')}: ${shown.length === 0 ? 'all passed' : shown.join(', ')}`;
}
