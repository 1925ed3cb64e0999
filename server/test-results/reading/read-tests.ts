import type {
  RunTests,
  TestDetail,
  TestFailure,
  TestListQuery,
  TestPage,
  TestState,
  TestSummary,
} from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { cursorAfter, decodeCursor, defaultLimit, encodeCursor } from '#platform/http/page-cursor.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { openFailureText } from '../storing/failure-text.ts';
import { stateOf } from '../verdicts/verdict.ts';
import {
  findAttempt,
  findTests,
  listDays,
  listFailures,
  listReports,
  listRunFailures,
  listTests,
  listTopTests,
  type FailureRow,
  type TestFilter,
  type TestRow,
} from './test-store.ts';

/** Tests read for one page of a state that the database cannot decide. */
const scannedAtOnce = 200;
const mostScans = 10;

const evidenceOf: Record<TestState, TestFilter['evidence']> = {
  broken: 'broken',
  flaky: 'flaky',
  new: 'new',
  vanished: 'any',
  healthy: 'any',
};

/** Tests with the sums of the last 14 days. @throws AppError `invalid_request` for an invalid cursor */
export async function readTests(tx: Tx, integrationId: string, query: TestListQuery): Promise<TestPage> {
  const { limit = defaultLimit, cursor, q, state, repository, suite, sort = 'failed' } = query;
  const words = (q ?? '').split(/\s+/).filter(Boolean).slice(0, 10);
  const evidence = state === undefined ? (words.length > 0 ? 'any' : 'failed') : evidenceOf[state];
  const filter: TestFilter = { evidence, repository, suite, words };
  const matches = (row: TestRow): boolean => state === undefined || stateOfRow(row) === state;
  if (sort !== 'failed') {
    const rows = await listTopTests(
      tx,
      integrationId,
      sort === 'failures' ? filter : { ...filter, evidence: state === undefined ? 'any' : evidence },
      sort,
      limit,
    );
    return { items: rows.filter(matches).map(summaryOf), nextCursor: null };
  }
  const found: TestRow[] = [];
  let before = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
  for (let scan = 0; scan < mostScans && found.length <= limit; scan += 1) {
    const rows = await listTests(
      tx,
      integrationId,
      filter,
      before,
      state === undefined ? limit + 1 : scannedAtOnce,
    );
    found.push(...rows.filter(matches));
    const last = rows.at(-1);
    if (last === undefined || rows.length < scannedAtOnce) break;
    before = { at: last.at_micros, id: last.testId };
  }
  const isCut = found.length <= limit && before !== undefined && found.length > 0 && state !== undefined;
  return {
    items: found.slice(0, limit).map(summaryOf),
    nextCursor: isCut ? encodeCursor(before!) : cursorAfter(found, limit, (row) => row.testId),
  };
}

function stateOfRow({ brokenSince, lastFlakyAt, firstOnMainAt, runsWithout }: TestRow): TestState {
  const time = (date: Date | null): number | null => date?.getTime() ?? null;
  return stateOf(
    {
      brokenSince: time(brokenSince),
      lastFlakyAt: time(lastFlakyAt),
      firstOnMainAt: time(firstOnMainAt),
      runsWithout,
    },
    Date.now(),
  );
}

function summaryOf(row: TestRow): TestSummary {
  const state = stateOfRow(row);
  const since = state === 'broken' ? row.brokenSince : state === 'flaky' ? row.lastFlakyAt : null;
  const { testId, repository, suite, className, name, file } = row;
  const { passes, failures, flakes, skips, lostMs, durationMs, trend } = row;
  return {
    testId,
    repository,
    suite,
    className,
    name,
    file,
    state,
    passes,
    failures,
    flakes,
    skips,
    lostMs,
    durationMs,
    trend,
    since: since?.toISOString() ?? null,
    firstSeenAt: row.firstSeenAt.toISOString(),
    lastSeenAt: row.lastSeenAt.toISOString(),
    lastFailedAt: row.lastFailedAt?.toISOString() ?? null,
  };
}

/** Failures on the page of a test. */
const shownFailures = 50;

/** @throws AppError `not_found` */
export async function readTest(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  testId: string,
): Promise<TestDetail> {
  const [row] = await findTests(tx, integrationId, [testId]);
  if (row === undefined) throw new AppError('not_found', { detail: 'Test not found.' });
  const [days, failures] = await Promise.all([
    listDays(tx, integrationId, testId),
    listFailures(tx, integrationId, testId, shownFailures),
  ]);
  return {
    ...summaryOf(row),
    days,
    recentFailures: failures.map((each) => failureOf(sealer, integrationId, each)),
  };
}

function failureOf(sealer: Sealer, integrationId: string, row: FailureRow): TestFailure {
  const { runId, attempt, jobId, branch, headSha, onDefaultBranch, isFlaky, at } = row;
  const text = openFailureText(
    sealer,
    { integrationId, testId: row.testId, reportId: row.reportId },
    row.sealedText,
  );
  return { runId, attempt, jobId, branch, headSha, onDefaultBranch, isFlaky, ...text, at: at.toISOString() };
}

const testsOfRun = 200;

/** @throws AppError `not_found` for an unknown run */
export async function readRunTests(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  runId: number,
  asked: number | undefined,
): Promise<RunTests> {
  const newest = await findAttempt(tx, integrationId, runId);
  if (newest === undefined) throw new AppError('not_found', { detail: 'Run not found.' });
  const key = { runId, attempt: asked ?? newest };
  const [reports, failures] = await Promise.all([
    listReports(tx, integrationId, key),
    listRunFailures(tx, integrationId, key, testsOfRun),
  ]);
  const tests = new Map(
    (
      await findTests(
        tx,
        integrationId,
        failures.map(({ testId }) => testId),
      )
    ).map((row) => [row.testId, row]),
  );
  return {
    reports: reports.map(({ receivedAt, ...report }) => ({
      ...report,
      receivedAt: receivedAt.toISOString(),
    })),
    tests: failures.flatMap((each) => {
      const row = tests.get(each.testId);
      if (row === undefined) return [];
      const { testId, repository, suite, className, name, file, state } = summaryOf(row);
      const { isFlaky, message, trace } = failureOf(sealer, integrationId, each);
      return [{ testId, repository, suite, className, name, file, state, isFlaky, message, trace }];
    }),
  };
}
