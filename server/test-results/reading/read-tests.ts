import type {
  Quarantine,
  RunTests,
  TestFacets,
  TestFacetsQuery,
  TestListQuery,
  TestPage,
  TestSummary,
} from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { cursorAfter, decodeCursor, defaultLimit } from '#platform/http/page-cursor.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { openFailureText } from '../storing/failure-text.ts';
import {
  countTests,
  findAttempt,
  findTests,
  listReports,
  listRunFailures,
  listTests,
  listTopTests,
  type FailureRow,
  type TestFilter,
  type TestRow,
} from './test-store.ts';

/** Tests with the sums of the last 14 days. @throws AppError `invalid_request` for an invalid cursor */
export async function readTests(tx: Tx, integrationId: string, query: TestListQuery): Promise<TestPage> {
  const { limit = defaultLimit, cursor, sort = 'failed' } = query;
  const filter = filterOf(query);
  const before = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
  const rows = await (sort === 'failed'
    ? listTests(tx, integrationId, filter, showsFailed(filter), before, limit + 1)
    : listTopTests(tx, integrationId, filter, sort, before, limit + 1));
  return {
    items: rows.slice(0, limit).map(summaryOf),
    nextCursor: cursorAfter(rows, limit, ({ testId }) => testId),
  };
}

function filterOf({ q, state, repository, suite, quarantined }: TestFacetsQuery): TestFilter {
  const words = (q ?? '').split(/\s+/).filter(Boolean).slice(0, 10);
  return { state, repository, suite, isQuarantined: quarantined, words };
}

/** Whether a list has only tests that have failed. The other states are about tests without a failure, too. */
function showsFailed({ state, words, isQuarantined }: TestFilter): boolean {
  return state === undefined
    ? words.length === 0 && isQuarantined !== true
    : state === 'broken' || state === 'flaky';
}

/** How many tests have each state, repository and suite. Each is counted with the filters of the others. */
export async function readTestFacets(
  tx: Tx,
  integrationId: string,
  query: TestFacetsQuery,
): Promise<TestFacets> {
  const filter = filterOf(query);
  const names = ['state', 'repository', 'suite'] as const;
  const facets = await Promise.all(
    names.map(async (name) => {
      const counts = new Map<string, number>();
      for (const group of await countTests(tx, integrationId, { ...filter, [name]: undefined }))
        counts.set(group[name], (counts.get(group[name]) ?? 0) + group.count);
      const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostFacetValues);
      return [name, most.map(([value, count]) => ({ value, count }))] as const;
    }),
  );
  return Object.fromEntries(facets) as unknown as TestFacets;
}

const mostFacetValues = 200;

export function summaryOf(row: TestRow): TestSummary {
  const { state, brokenSince, flakySince, lastFlakyAt, firstSeenAt, lastSeenAt, lastFailedAt } = row;
  const { testId, repository, suite, className, name, file } = row;
  const { passes, failures, flakes, skips, retried, passedRetries, otherBranches } = row;
  const { lostMs, durationMs, trend } = row;
  const since = state === 'broken' ? brokenSince : state === 'flaky' ? flakySince : null;
  return {
    testId,
    repository,
    suite,
    className,
    name,
    file,
    state,
    quarantine: quarantineOf(row),
    since: since?.toISOString() ?? null,
    lastFlakyAt: lastFlakyAt?.toISOString() ?? null,
    passes,
    failures,
    flakes,
    skips,
    retried,
    passedRetries,
    otherBranches,
    lostMs,
    durationMs,
    trend,
    firstSeenAt: firstSeenAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    lastFailedAt: lastFailedAt?.toISOString() ?? null,
  };
}

function quarantineOf(row: TestRow): Quarantine | null {
  const { quarantineReason: reason, quarantinedSince: since, quarantinedUntil: until } = row;
  if (reason === null || since === null || until === null) return null;
  const { quarantineOwner: userId, quarantineOwnerName: name } = row;
  const owner = userId === null ? null : { userId, name };
  return { reason, owner, since: since.toISOString(), until: until.toISOString() };
}

/** The tests of these ids, in no order. */
export async function readSummaries(
  tx: Tx,
  integrationId: string,
  testIds: readonly string[],
): Promise<TestSummary[]> {
  return (await findTests(tx, integrationId, testIds)).map(summaryOf);
}

export const textOf = (
  sealer: Sealer,
  integrationId: string,
  { testId, reportId, sealedText }: Pick<FailureRow, 'testId' | 'reportId' | 'sealedText'>,
) => openFailureText(sealer, { integrationId, testId, reportId }, sealedText);

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
      const { testId, repository, suite, className, name, file, state, quarantine } = summaryOf(row);
      const text = textOf(sealer, integrationId, each);
      const verdict = { state, isQuarantined: quarantine !== null, isFlaky: each.isFlaky };
      return [{ testId, repository, suite, className, name, file, ...verdict, ...text }];
    }),
  };
}
