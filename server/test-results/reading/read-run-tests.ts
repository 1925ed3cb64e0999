import type { FailedTest, RunTests, TestTotals } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { summaryOf, textOf } from './read-tests.ts';
import {
  findAttempt,
  listReports,
  listRunFailures,
  sumReports,
  type RunAttempt,
  type RunFailureRow,
} from './run-test-store.ts';
import { findTests } from './test-store.ts';

const testsOfRun = 200;
const testsOfCheck = 10;

/** The reports of an attempt with its failed and flaky tests. @throws AppError `not_found` for an unknown run */
export async function readRunTests(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  runId: number,
  asked: number | undefined,
): Promise<RunTests> {
  const newest = await findAttempt(tx, integrationId, runId);
  if (newest === undefined) throw new AppError('not_found', { detail: 'Run not found.' });
  const attempt = { runId, attempt: asked ?? newest };
  const [reports, tests] = await Promise.all([
    listReports(tx, integrationId, attempt),
    readFailedTests(tx, sealer, integrationId, [attempt], testsOfRun),
  ]);
  return {
    reports: reports.map(({ receivedAt, ...report }) => ({
      ...report,
      receivedAt: receivedAt.toISOString(),
    })),
    tests: tests.map(({ test, trace }) => ({ ...test, trace })),
  };
}

/** The totals of attempts with their failed tests, by run. Runs without a report are missing. */
export async function readTestTotals(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  attempts: readonly RunAttempt[],
): Promise<Map<number, TestTotals>> {
  const totals = await sumReports(tx, integrationId, attempts);
  const reported = new Set(totals.map(({ runId }) => runId));
  const shown = attempts.filter(({ runId }) => reported.has(runId));
  const tests = await readFailedTests(tx, sealer, integrationId, shown, testsOfCheck);
  const byRun = Map.groupBy(tests, ({ runId }) => runId);
  return new Map(
    totals.map(({ runId, ...counts }) => {
      return [runId, { ...counts, items: (byRun.get(runId) ?? []).map(({ test }) => test) }];
    }),
  );
}

async function readFailedTests(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  attempts: readonly RunAttempt[],
  most: number,
): Promise<{ runId: number; test: FailedTest; trace: string | null }[]> {
  if (attempts.length === 0) return [];
  const failures = await listRunFailures(tx, integrationId, attempts, most);
  const ids = [...new Set(failures.map(({ testId }) => testId))];
  const tests = new Map((await findTests(tx, integrationId, ids)).map((row) => [row.testId, row]));
  return failures.flatMap((failure: RunFailureRow) => {
    const row = tests.get(failure.testId);
    if (row === undefined) return [];
    const { testId, repository, suite, className, name, file, state, quarantine } = summaryOf(row);
    const { runId, isFlaky, isNew } = failure;
    const { message, trace } = textOf(sealer, integrationId, failure);
    const known = { testId, repository, suite, className, name, file, state };
    return [
      { runId, test: { ...known, isQuarantined: quarantine !== null, isFlaky, isNew, message }, trace },
    ];
  });
}
