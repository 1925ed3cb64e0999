import { hash } from 'node:crypto';
import type { ParsedReport, ReportedCase } from '../parsing/case-collector.ts';
import { isMassFailure } from '../verdicts/verdict.ts';

/** A case with its identity. */
export interface IdentifiedCase extends ReportedCase {
  testId: string;
}

export interface ReportTotals {
  tests: number;
  failed: number;
  skipped: number;
  flaky: number;
  durationMs: number;
  isMassFailure: boolean;
}

export function totalsOf(cases: readonly ReportedCase[]): ReportTotals {
  const totals = { tests: cases.length, failed: 0, skipped: 0, flaky: 0, durationMs: 0 };
  for (const { outcome, retries, durationMs } of cases) {
    if (outcome === 'failed') totals.failed += 1;
    else if (outcome === 'skipped') totals.skipped += 1;
    else if (retries > 0) totals.flaky += 1;
    totals.durationMs += durationMs ?? 0;
  }
  return { ...totals, isMassFailure: isMassFailure(totals.tests - totals.skipped, totals.failed) };
}

/** The identity of a test: its repository, the label of its suite, its class and its name. */
function testIdOf(repositoryKey: string, suite: string, className: string, name: string): string {
  const digest = hash('sha256', `${repositoryKey}\n${suite}\n${className}\n${name}`);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-${digest.slice(12, 16)}-${digest.slice(16, 20)}-${digest.slice(20, 32)}`;
}

export function identify(
  { cases }: ParsedReport,
  { repositoryKey, suite }: { repositoryKey: string; suite: string },
): IdentifiedCase[] {
  return cases.map((each) => ({
    ...each,
    testId: testIdOf(repositoryKey, suite, each.className, each.name),
  }));
}
