import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { lostKinds, type LostKind, type Minutes } from '#contract/metrics/health.ts';
import type { Cost } from '#contract/metrics/minute-prices.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { greenBuild, jobOf, runOf } from '#test/support/data/completions.ts';
import { at, epoch, integrationId } from '#test/support/data/forge-events.ts';
import { createMetricsReader } from '#test/support/data/reading/metrics-reader.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { readHealth } from './read-health.ts';

const { database, record, emptyAll, addUp } = await createMetricsReader();

interface Run {
  isSuperseded: boolean;
  /** Each with its jobs: begin and length in seconds. */
  attempts: { begun: number; lasted: number; conclusion: string; label: string }[][];
}

/** Of a minute from a day on, in millionths. Jobs of `windows` have none. */
const pricesOfLost = [
  { runner: 'linux', day: -3, parts: 6000n },
  { runner: 'linux', day: 1, parts: 8001n },
  { runner: 'macos', day: 1, parts: 77_000n },
];
/** Attempts of a run begin on different days. */
const attemptsEverySeconds = 70_000;
const dayOf = (day: number): string => at(day * 86_400).slice(0, 10);

const job = fc.record({
  label: fc.constantFrom('linux', 'macos', 'windows'),
  begun: fc.integer({ min: 0, max: 600 }),
  lasted: fc.integer({ min: 0, max: 900 }),
  conclusion: fc.constantFrom('success', 'failure', 'cancelled', 'skipped'),
});
const run: fc.Arbitrary<Run> = fc.record({
  isSuperseded: fc.boolean(),
  attempts: fc.array(fc.array(job, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
});

const billed = (seconds: number): number => Math.ceil(seconds / 60);
const conclusionOf = (jobs: readonly { conclusion: string }[]): string =>
  jobs.some(({ conclusion }) => conclusion === 'failure') ? 'failure' : 'success';

interface Lost {
  minutes: number;
  parts: bigint;
  priced: number;
}

const sumOf = (all: readonly Lost[]): Lost =>
  all.reduce(
    (sum, each) => ({
      minutes: sum.minutes + each.minutes,
      parts: sum.parts + each.parts,
      priced: sum.priced + each.priced,
    }),
    { minutes: 0, parts: 0n, priced: 0 },
  );

/** Each minute of a run that counts, by the way in which it was lost. */
function lostOf({ isSuperseded, attempts }: Run): Record<LostKind, Lost> {
  const [first = [], ...later] = attempts;
  const failedAt = Math.min(
    ...first.flatMap(({ begun, lasted, conclusion }) => (conclusion === 'failure' ? [begun + lasted] : [])),
  );
  const lose = (jobs: Run['attempts'][number], place: number, from: number) =>
    sumOf(
      jobs.map(({ begun, lasted, conclusion, label }) => {
        const before = Math.min(lasted, Math.max(0, from - begun));
        const minutes = conclusion === 'skipped' ? 0 : billed(lasted) - billed(before);
        const completedOn = at(place * attemptsEverySeconds + begun + lasted).slice(0, 10);
        const price = pricesOfLost.findLast(
          ({ runner, day }) => runner === label && dayOf(day) <= completedOn,
        );
        return { minutes, parts: BigInt(minutes) * (price?.parts ?? 0n), priced: price ? minutes : 0 };
      }),
    );
  const isLost = isSuperseded && later.length === 0;
  return {
    rerun: sumOf(later.map((jobs, index) => lose(jobs, index + 1, 0))),
    superseded: lose(first, 0, isLost ? 0 : Infinity),
    afterFailure: lose(first, 0, isLost ? Infinity : failedAt),
  };
}

test('the minutes lost and their cost equal those of the jobs, each counted once', async () => {
  await insertIntegration(database, integrationId);
  await setPrices(pricesOfLost.map((price) => ({ ...price, currency: 'EUR' })));
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 5 }), async (runs) => {
      await emptyAll();
      await record(
        ...runs.flatMap(({ attempts }, index) =>
          attempts.flatMap((jobs, place) => {
            const [id, attempt, startSeconds] = [index + 1, place + 1, place * attemptsEverySeconds];
            const shared = { ...greenBuild, id, attempt };
            return [
              runOf({ ...shared, startSeconds, seconds: 1600, conclusion: conclusionOf(jobs) }),
              ...jobs.map(({ begun, lasted, conclusion, label }, job_) =>
                jobOf(
                  {
                    ...shared,
                    startSeconds: startSeconds + begun,
                    seconds: lasted,
                    conclusion,
                    labels: [label],
                  },
                  { id: id * 1000 + attempt * 100 + job_, name: `job ${job_}` },
                ),
              ),
            ];
          }),
        ),
      );
      for (const [index, { isSuperseded, attempts }] of runs.entries())
        if (isSuperseded && attempts.length === 1)
          await database.asOwner(
            `update workflow_runs set superseded_by = 99, conclusion = 'cancelled' where run_id = $1`,
            [index + 1],
          );
      const { minutes } = await database.api.withScope({ integrationId }, (tx) =>
        readHealth(tx, integrationId, { from: at(0) }, epoch + 3 * dayMs, new DashboardCache()),
      );
      const expected = runs.map(lostOf);
      for (const [place, kind] of lostKinds.entries()) {
        const lost = expected.map((each) => each[kind]).filter((each) => each.minutes > 0);
        const sum = sumOf(lost);
        const listed = minutes.runs.filter((each) => each.kind === kind);
        const { costs = [], ...figure } = minutes.lost[place] ?? {};
        assert.deepEqual(figure, { kind, runs: lost.length, minutes: sum.minutes, since: null });
        assert.deepEqual(sumOf(costs.map(lostIn)), { ...sum, minutes: 0 });
        assert.deepEqual(
          listed.map((each) => ({ ...sumOf(each.costs.map(lostIn)), minutes: each.minutes })).sort(byMinutes),
          lost.sort(byMinutes),
        );
      }
      const all = runs.flatMap(({ attempts }) => attempts.flat());
      const total = all.reduce(
        (sum, each) => sum + (each.conclusion === 'skipped' ? 0 : billed(each.lasted)),
        0,
      );
      assert.equal(minutes.total, total);
    }),
    { numRuns: 20 },
  );
});

const lostIn = ({ amount, minutes }: Cost): Lost => ({ minutes: 0, parts: inParts(amount), priced: minutes });
const byMinutes = (a: Lost, b: Lost): number =>
  a.minutes - b.minutes || a.priced - b.priced || Number(a.parts - b.parts);

test('without a completed job the minutes are unknown, and not 0', async () => {
  await emptyAll();
  const { minutes } = await database.api.withScope({ integrationId }, (tx) =>
    readHealth(tx, integrationId, {}, epoch, new DashboardCache()),
  );
  assert.equal(minutes.total, null);
});

const labels = ['linux', 'macos', 'windows'] as const;
const days = 6;
const cheapJob = fc.record({
  label: fc.constantFrom(...labels),
  startSeconds: fc.integer({ min: 0, max: days * 86_400 - 4000 }),
  seconds: fc.integer({ min: 0, max: 4000 }),
});
const price = fc.record({
  runner: fc.constantFrom(...labels, 'unused'),
  day: fc.integer({ min: -3, max: days }),
  parts: fc.integer({ min: 0, max: 100_000_000 }),
  currency: fc.constantFrom('EUR', 'USD'),
});

test('the cost is the sum of the minutes of each job times the price of its day', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(cheapJob, { minLength: 1, maxLength: 12 }),
      fc.uniqueArray(price, { maxLength: 8, selector: ({ runner, day }) => `${runner} ${day}` }),
      fc.boolean(),
      fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata'),
      async (jobs, prices, isAddedUp, timeZone) => {
        await emptyAll();
        await setPrices(prices);
        await record(
          ...jobs.map(({ label, ...times }, index) =>
            jobOf({ ...greenBuild, ...times, id: index + 1, labels: [label] }),
          ),
        );
        const now = epoch + (days + 1) * dayMs;
        if (isAddedUp) while ((await addUp(now)) > 0);
        const { minutes } = await database.api.withScope({ integrationId }, (tx) =>
          readHealth(tx, integrationId, { from: at(-86_400), timeZone }, now, new DashboardCache()),
        );
        const expected: Record<string, bigint> = {};
        for (const { label, startSeconds, seconds } of jobs) {
          const completedOn = at(startSeconds + seconds).slice(0, 10);
          const [holds] = prices
            .filter(({ runner, day }) => runner === label && dayOf(day) <= completedOn)
            .toSorted((a, b) => b.day - a.day);
          if (holds === undefined || seconds === 0) continue;
          for (const key of [holds.currency, `${label} ${holds.currency}`])
            expected[key] = (expected[key] ?? 0n) + BigInt(billed(seconds)) * BigInt(holds.parts);
        }
        assert.deepEqual(costsIn(minutes), expected);
      },
    ),
    { numRuns: 40 },
  );
});

interface Price {
  runner: string;
  day: number;
  parts: number | bigint;
  currency: string;
}

async function setPrices(prices: readonly Price[]): Promise<void> {
  await database.asOwner('delete from minute_prices');
  for (const { runner, day, parts, currency } of prices)
    await database.asOwner(
      `insert into minute_prices (integration_id, runner, valid_from, price_parts, currency) values ($1, $2, $3, $4, $5)`,
      [integrationId, runner, dayOf(day), parts, currency],
    );
}

const inParts = (amount: number): bigint => BigInt(Math.round(amount * 1e6));

/** In millionths, by currency, and by labels and currency. */
function costsIn({ costs, labels: rows }: Minutes): Record<string, bigint> {
  return Object.fromEntries([
    ...costs.map(({ currency, amount }) => [currency, inParts(amount)]),
    ...rows.flatMap(({ runner, costs: own }) =>
      own.map(({ currency, amount }) => [`${runner} ${currency}`, inParts(amount)]),
    ),
  ]) as Record<string, bigint>;
}
