import type {
  Quarantine,
  TestFacets,
  TestFacetsQuery,
  TestListQuery,
  TestPage,
  TestState,
  TestSummary,
} from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { cursorAfter, decodeCursor, defaultLimit } from '#platform/http/page-cursor.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { openFailureText } from '../storing/failure-text.ts';
import {
  countTests,
  countUnreliable,
  hasTests,
  findTests,
  listTests,
  listTopTests,
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

/** Which of the tests are flaky at present. */
export async function readFlakyTests(
  tx: Tx,
  integrationId: string,
  testIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const tests = testIds.length === 0 ? [] : await findTests(tx, integrationId, testIds);
  return new Set(tests.filter(({ state }) => state === 'flaky').map(({ testId }) => testId));
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

/** How many tests are broken, and how many flaky. Undefined without any test. */
export async function readUnreliable(
  tx: Tx,
  integrationId: string,
): Promise<Map<TestState, number> | undefined> {
  if (!(await hasTests(tx, integrationId))) return undefined;
  const groups = await countUnreliable(tx, integrationId);
  return new Map(groups.map(({ state, count }) => [state, count]));
}

const mostFacetValues = 200;

export function summaryOf(row: TestRow): TestSummary {
  const { state, brokenSince, flakySince, lastFlakyAt, firstSeenAt, lastSeenAt, lastFailedAt } = row;
  const { testId, repository, suite, className, name, file } = row;
  const { passes, failures, flakes, skips, retried, passedRetries, otherBranches } = row;
  const { lostMs, durationMs, trend } = row;
  const { slowSince, slowFromMs: fromMs, slowMs: toMs } = row;
  const since = { broken: brokenSince, flaky: flakySince, slow: slowSince }[state as string];
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
    slower: fromMs === null || toMs === null ? null : { fromMs, toMs },
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

/** What a failed test said. */
export const textOf = (
  sealer: Sealer,
  integrationId: string,
  { testId, reportId, sealedText }: { testId: string; reportId: string; sealedText: Buffer | null },
) => openFailureText(sealer, { integrationId, testId, reportId }, sealedText);
