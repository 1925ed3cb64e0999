import type { ReportedCase } from '../parsing/case-collector.ts';

export interface ReportTotals {
  tests: number;
  failed: number;
  skipped: number;
  flaky: number;
  durationMs: number;
}

export function totalsOf(cases: readonly ReportedCase[]): ReportTotals {
  const totals: ReportTotals = { tests: cases.length, failed: 0, skipped: 0, flaky: 0, durationMs: 0 };
  for (const { outcome, retries, durationMs } of cases) {
    if (outcome === 'failed') totals.failed += 1;
    else if (outcome === 'skipped') totals.skipped += 1;
    else if (retries > 0) totals.flaky += 1;
    totals.durationMs += durationMs ?? 0;
  }
  return totals;
}
