import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TestDay } from '#contract/tests/tests.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import type { ReportedCase } from '../parsing/case-collector.ts';
import { listDays } from '../reading/test-page-store.ts';
import { testsOfBlock } from './day-blocks.ts';
import { prepareCases } from './prepare-report.ts';
import { storeReport } from './store-report.ts';
import { totalsOf } from './sum-report.ts';

const database = await createTestDatabase();
const sealer = makeSealer([testMasterKey]);

const dayMs = 24 * 3_600_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;

const manyTests = testsOfBlock + 60;

/** Some of the tests of a suite, in an order of their own: every `step`th from `first` on. */
const report = fc.record({
  daysAgo: fc.integer({ min: 0, max: 2 }),
  onMain: fc.boolean(),
  suite: fc.constantFrom('', 'unit'),
  first: fc.integer({ min: 0, max: manyTests }),
  step: fc.integer({ min: 1, max: 40 }),
  // An attempt with more could be a mass failure.
  count: fc.integer({ min: 1, max: 19 }),
  isReversed: fc.boolean(),
  outcomes: fc.array(fc.constantFrom('passed', 'passed', 'skipped', 'failed'), {
    minLength: 1,
    maxLength: 7,
  }),
  longest: fc.constantFrom(1, 1000, 7 * dayMs),
});

type Report = typeof report extends fc.Arbitrary<infer R> ? R : never;

const casesOf = ({ first, step, count, isReversed, outcomes, longest }: Report): ReportedCase[] => {
  const cases = Array.from({ length: count }, (_, n) => {
    const id = first + n * step;
    return {
      // Texts that arrays of Postgres must quote, and empty ones.
      className: id % 3 === 0 ? '' : 'Cart {NULL}',
      name: id % 2 === 0 ? `${id}` : `",\n\t${id}`,
      file: id % 5 === 0 ? 'cart.ts' : null,
      outcome: outcomes[n % outcomes.length]!,
      durationMs: n % 4 === 0 ? null : longest - 1,
      retries: 0,
      message: null,
      trace: null,
    };
  });
  return isReversed ? cases.reverse() : cases;
};

/** It makes the tests of more than one block known. */
const wholeSuite: Report = {
  daysAgo: 1,
  onMain: true,
  suite: '',
  first: 0,
  step: 1,
  count: manyTests,
  isReversed: false,
  outcomes: ['passed'],
  longest: 9,
};

const keyOf = (
  { suite }: { suite: string },
  { className, name }: Pick<ReportedCase, 'className' | 'name'>,
): string => JSON.stringify([suite, className, name]);

/** The days of each test, as a reader of the reports would add them up. */
function daysOf(reports: readonly Report[]): Map<string, TestDay[]> {
  const days = new Map<string, TestDay[]>();
  for (const each of reports)
    for (const { outcome, durationMs, ...identity } of casesOf(each)) {
      const own = days.get(keyOf(each, identity)) ?? [];
      days.set(keyOf(each, identity), own);
      const day = new Date(today - each.daysAgo * dayMs).toISOString().slice(0, 10);
      let sums = own.find((known) => known.day === day && known.onDefaultBranch === each.onMain);
      if (sums === undefined) {
        sums = {
          day,
          onDefaultBranch: each.onMain,
          passes: 0,
          failures: 0,
          flakes: 0,
          skips: 0,
          durationMs: 0,
        };
        own.push(sums);
      }
      if (outcome === 'passed') sums.durationMs += durationMs ?? 0;
      sums[outcome === 'passed' ? 'passes' : outcome === 'failed' ? 'failures' : 'skips'] += 1;
    }
  return days;
}

async function store(integrationId: string, each: Report): Promise<void> {
  const cases = casesOf(each);
  const { suite, onMain, daysAgo } = each;
  // One attempt each, and no commit, so that nothing else follows from the failures.
  const about = {
    repository: 'acme/shop',
    repositoryKey: '7',
    headSha: null,
    headBranch: onMain ? 'main' : 'topic',
    onMain,
    at: new Date(today - daysAgo * dayMs + 1000),
  };
  const received = {
    hash: createHash('sha256').update(randomUUID()).digest(),
    run: Math.floor(Math.random() * 2 ** 40),
    attempt: 1,
    job: 'unit',
    jobId: null,
    suite,
    format: 'junit' as const,
    faults: [],
    totals: totalsOf(cases),
  };
  await database.api.withScope({ integrationId }, (tx) =>
    storeReport(tx, sealer, integrationId, about, received, prepareCases(cases, { ...about, suite })),
  );
}

test('the days of each test are the sums of its reports', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(report, { maxLength: 8 }), async (others) => {
      const reports = [wholeSuite, ...others];
      const integrationId = await insertIntegration(database);
      for (const each of reports) await store(integrationId, each);
      const known = await database.asOwner<{ id: string; suite: string; className: string; name: string }>(
        `select test_id as id, suite, class_name as "className", name from tests where integration_id = $1`,
        [integrationId],
      );
      const days = daysOf(reports);
      assert.deepEqual(known.map((each) => keyOf(each, each)).sort(), [...days.keys()].sort());
      const told = new Set(daysOf(others).keys());
      const some = known.filter((each, n) => told.has(keyOf(each, each)) || n % 50 === 0);
      const listed = await database.api.withScope({ integrationId }, (tx) =>
        Promise.all(some.map(({ id }) => listDays(tx, integrationId, id))),
      );
      for (const [n, each] of some.entries()) {
        const inOrder = days
          .get(keyOf(each, each))!
          .toSorted(
            (a, b) => a.day.localeCompare(b.day) || Number(a.onDefaultBranch) - Number(b.onDefaultBranch),
          );
        assert.deepEqual(listed[n], inOrder, keyOf(each, each));
      }
    }),
    { numRuns: 10 },
  );
});
