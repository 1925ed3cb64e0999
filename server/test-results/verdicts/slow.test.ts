import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { prepareCases } from '../storing/prepare-report.ts';
import { storeReport } from '../storing/store-report.ts';
import { totalsOf } from '../storing/sum-report.ts';
import { rankProbability, slowTests } from './slow.ts';
import { slowTasks } from './slow-tasks.ts';

const database = await createTestDatabase();
const sealer = makeSealer([testMasterKey]);

const days = <T>(length: number, of: (n: number) => T): T[] => Array.from({ length }, (_, n) => of(n));

test('the exact probability equals that of counting all orders', () => {
  const valuesOf = fc.integer({ min: 2, max: 4 });
  fc.assert(
    fc.property(valuesOf, valuesOf, fc.integer({ min: 0, max: 5000 }), (before, after, seed) => {
      const ranks = days(before + after, (n) => n);
      const chosen = subsets(ranks, after);
      const observed = chosen[seed % chosen.length]!;
      const winsOf = (later: number[]): number =>
        later.reduce((sum, at) => sum + ranks.filter((rank) => rank < at && !later.includes(rank)).length, 0);
      const far = (wins: number): number => Math.abs(wins - (before * after) / 2);
      const extreme = chosen.filter((each) => far(winsOf(each)) >= far(winsOf(observed)));
      const others = ranks.filter((rank) => !observed.includes(rank));
      assert.ok(
        Math.abs(rankProbability(others, observed) - Math.min(1, extreme.length / chosen.length)) < 1e-9,
      );
    }),
  );
});

function subsets(all: readonly number[], size: number): number[][] {
  if (size === 0) return [[]];
  return all.flatMap((first, n) => subsets(all.slice(n + 1), size - 1).map((rest) => [first, ...rest]));
}

test('one slow test is found among 5,000 that vary', () => {
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const steady = days(5000, (n) => ({
    testId: String(n),
    before: days(28, () => 400 + 400 * random()),
    after: days(7, () => 400 + 400 * random()),
  }));
  assert.deepEqual(slowTests(steady), []);
  const slow = {
    testId: 'slow',
    before: days(28, () => 400 + 100 * random()),
    after: days(7, () => 900 + 100 * random()),
  };
  assert.deepEqual(
    slowTests([...steady, slow]).map(({ testId }) => testId),
    ['slow'],
  );
});

test('a difference of less than a tenth or 100 ms is no change, nor is one slow day', () => {
  const change = (from: number, to: (n: number) => number) =>
    slowTests([{ testId: 'a', before: days(28, () => from), after: days(7, to) }]).length;
  assert.equal(
    change(10, () => 90),
    0,
  );
  assert.equal(
    change(2000, () => 2190),
    0,
  );
  assert.equal(
    change(500, (n) => (n === 0 ? 60_000 : 500)),
    0,
  );
  assert.equal(
    change(500, () => 650),
    1,
  );
});

async function storeDay(integrationId: string, daysAgo: number, durations: Record<string, number>) {
  const cases = Object.entries(durations).map(([name, durationMs]) => ({
    className: '',
    name,
    file: null,
    outcome: 'passed' as const,
    durationMs,
    retries: 0,
    message: null,
    trace: null,
  }));
  const about = {
    repository: 'acme/shop',
    repositoryKey: '7',
    headSha: null,
    headBranch: 'main',
    onMain: true,
    at: new Date(Date.now() - daysAgo * dayMs),
  };
  const report = {
    hash: createHash('sha256').update(randomUUID()).digest(),
    run: 100 - daysAgo,
    attempt: 1,
    job: 'unit',
    jobId: null,
    suite: '',
    format: 'junit' as const,
    faults: [],
    totals: totalsOf(cases),
  };
  await database.api.withScope({ integrationId }, (tx) =>
    storeReport(tx, sealer, integrationId, about, report, prepareCases(cases, { ...about, suite: '' })),
  );
}

test('a test is slow from the comparison that finds it until its days are like those before', async () => {
  const integrationId = await insertIntegration(database);
  for (let daysAgo = 35; daysAgo > 0; daysAgo -= 1)
    await storeDay(integrationId, daysAgo, { steady: 500, slower: daysAgo > 7 ? 500 : 900 });
  const compare = async (): Promise<unknown[]> => {
    const turn = { signal: new AbortController().signal, isLong: () => false };
    const task = { integrationId, kind: 'test-durations', key: 'all', facts: {}, failures: 0 };
    assert.equal(await slowTasks({ db: database.worker }).handle(task, turn), 'done');
    return database.asOwner(
      `select name, slow_from_ms as "from", slow_ms as "to" from tests where slow_since is not null`,
    );
  };
  assert.deepEqual(await compare(), [{ name: 'slower', from: 500, to: 900 }]);
  for (let daysAgo = 7; daysAgo > 0; daysAgo -= 1) await storeDay(integrationId, daysAgo, { slower: 100 });
  assert.deepEqual(await compare(), []);
});

test('reports of yesterday are compared in some hours, and those of the past soon', async () => {
  const integrationId = await insertIntegration(database);
  for (const [daysAgo, isSoon] of [
    [1, false],
    [3, true],
    [1, true],
  ] as const) {
    await storeDay(integrationId, daysAgo, { steady: 100 });
    const tasks = await database.asOwner(
      `select kind, due_at < now() + interval '1 minute' as soon from tasks where integration_id = $1`,
      [integrationId],
    );
    assert.deepEqual(tasks, [{ kind: 'test-durations', soon: isSoon }]);
  }
});
