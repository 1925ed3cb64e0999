import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf } from '../histogram-buckets.ts';
import { quantileMs, type Counts } from '../histograms.ts';
import { compareAll, significantOnes, type Compared, type PeriodNumbers } from './compare-periods.ts';
import { findShift } from './find-shift.ts';

/** A generator of equally distributed numbers from 0 to 1 (mulberry32), the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

interface Run {
  ms: number;
  isFailed: boolean;
  isRecovered: boolean;
}

/** A workflow whose runs have no trend: each differs in rate, failures, flakiness, and in how much its durations scatter. */
function steadyWorkflow(random: () => number) {
  const perDay = 3 * 60 ** random();
  const [failedShare, flakyShare] = [0.4 * random() ** 2, 0.15 * random() ** 2];
  const median = 10_000 * 200 ** random();
  const scatter = 0.05 + 0.5 * random();
  const hasHeavyTail = random() < 0.5;
  const weekend = random();
  const run = (): Run => {
    // One run of twenty takes up to ten times as long: a cold cache, a slow runner.
    const tail = hasHeavyTail && random() < 0.05 ? 1 + 9 * random() : 1;
    const isFailed = random() < failedShare;
    return {
      ms: median * Math.exp(scatter * normal(random)) * tail * (isFailed ? 0.3 + 0.7 * random() : 1),
      isFailed,
      isRecovered: !isFailed && random() < flakyShare,
    };
  };
  const week = (): Run[] =>
    Array.from({ length: 7 }, (_, day) => {
      const rate = perDay * (day < 5 ? 1 : weekend) * (0.5 + random());
      return Array.from({ length: Math.round(rate) }, run);
    }).flat();
  return { week };
}

function numbersOf(runs: readonly Run[]): PeriodNumbers {
  const durations: Counts = [];
  for (const { ms } of runs) durations[bucketOf(ms)] = (durations[bucketOf(ms)] ?? 0) + 1;
  const failed = runs.filter(({ isFailed }) => isFailed).length;
  const recovered = runs.filter(({ isRecovered }) => isRecovered).length;
  return {
    runs: runs.length,
    decided: runs.length,
    measured: runs.length,
    failed,
    failedShare: failed / runs.length,
    recovered,
    recoveredShare: recovered / runs.length,
    durations,
    durationP50Ms: quantileMs(durations, 0.5),
    durationP95Ms: quantileMs(durations, 0.95),
    billableMinutes: 0,
  };
}

const compared = (name: string, before: readonly Run[], after: readonly Run[]): Compared => ({
  repository: 'acme/site',
  workflow: name,
  job: null,
  before: numbersOf(before),
  after: numbersOf(after),
});

for (const perPage of [1, 20])
  test(`of pages with ${perPage} workflows without a trend, at most 5 % have an entry`, () => {
    const random = randomOf(20 + perPage);
    const pages = 1000;
    let withEntry = 0;
    for (let page = 0; page < pages; page += 1) {
      const items = Array.from({ length: perPage }, (_, index) => {
        const { week } = steadyWorkflow(random);
        return compared(`w${index}`, week(), week());
      });
      if (significantOnes(compareAll(items)).length > 0) withEntry += 1;
    }
    assert.ok(withEntry <= pages * 0.05, `${withEntry} of ${pages} pages`);
  });

test('a workflow that takes 20 % longer since one of its 80 runs is found with that run, among others without a trend', () => {
  const random = randomOf(7);
  const worlds = 1000;
  let [found, right, width] = [0, 0, 0];
  for (let world = 0; world < worlds; world += 1) {
    const median = 60_000 * 10 ** random();
    const scatter = 0.05 + 0.1 * random();
    const runs = Array.from({ length: 80 }, (_, place): Run => {
      const tail = random() < 0.03 ? 1 + 4 * random() : 1;
      return {
        ms: median * (place < 40 ? 1 : 1.2) * Math.exp(scatter * normal(random)) * tail,
        isFailed: false,
        isRecovered: false,
      };
    });
    const others = Array.from({ length: 9 }, (_, index) => {
      const { week } = steadyWorkflow(random);
      return compared(`w${index}`, week(), week());
    });
    const slower = compared('CI', runs.slice(0, 40), runs.slice(40));
    const entries = significantOnes(compareAll([slower, ...others]));
    const isFound = entries.some(({ item, kind }) => item === slower && kind === 'slower');
    const shift = findShift(runs.map(({ ms }) => ms));
    if (isFound) found += 1;
    if (isFound && shift !== undefined && shift.first <= 40 && 40 <= shift.last) right += 1;
    width += shift === undefined ? 0 : shift.last - shift.first + 1;
  }
  assert.ok(right >= worlds * 0.95, `${found} of ${worlds} found, ${right} with the moment`);
  assert.ok(width / worlds < 12, `a range of ${width / worlds} runs is too wide to be of use`);
});

test('a workflow that fails 14 of 20 times instead of 3 of 60 is found with the moment', () => {
  const random = randomOf(11);
  const worlds = 300;
  let right = 0;
  for (let world = 0; world < worlds; world += 1) {
    const values = Array.from({ length: 80 }, (_, place) => Number(random() < (place < 60 ? 0.05 : 0.7)));
    const shift = findShift(values);
    if (shift !== undefined && shift.first <= 60 && 60 <= shift.last) right += 1;
  }
  assert.ok(right >= worlds * 0.95, `${right} of ${worlds}`);
});

test('runs in an order that means nothing have a moment in at most 5 % of worlds', () => {
  const random = randomOf(13);
  const worlds = 2000;
  for (const valueOf of [
    () => Number(random() < 0.2),
    () => Math.exp(normal(random)),
    () => Math.floor(random() * 4),
  ]) {
    let named = 0;
    for (let world = 0; world < worlds; world += 1) {
      const length = 20 + Math.floor(random() * 200);
      if (findShift(Array.from({ length }, valueOf)) !== undefined) named += 1;
    }
    assert.ok(named <= worlds * 0.05, `${named} of ${worlds}`);
  }
});
