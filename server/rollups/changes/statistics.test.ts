import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { discoveryLimit, fisherTest, kolmogorovTail, rankSumTest, ranksOf } from './statistics.ts';

function countsOf(values: readonly number[]): number[] {
  const counts: number[] = [];
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const isNear = (actual: number, expected: number, within = 1e-3): void =>
  assert.ok(Math.abs(actual / expected - 1) < within, `${actual} instead of ${expected}`);

test('the rank-sum test gives the value that the manual of R prints for the ozone of May and August', () => {
  const may = [
    41, 36, 12, 18, 28, 23, 19, 8, 7, 16, 11, 14, 18, 14, 34, 6, 30, 11, 1, 11, 4, 32, 23, 45, 115, 37,
  ];
  const august = [
    39, 9, 16, 78, 35, 66, 122, 89, 110, 44, 28, 65, 22, 59, 23, 31, 44, 21, 9, 45, 168, 73, 76, 118, 84, 85,
  ];
  isNear(rankSumTest(countsOf(may), countsOf(august)), 0.0001208);
  assert.equal(rankSumTest(countsOf(may), countsOf(may)), 1);
  assert.equal(rankSumTest([], []), 1);
  assert.equal(rankSumTest(countsOf([5, 5, 5]), countsOf([5, 5])), 1);
});

test('Fisher’s exact test gives the published values', () => {
  // R: the tea of Muriel Bristol, and the convictions of twins.
  isNear(fisherTest({ hits: 3, of: 4 }, { hits: 1, of: 4 }), 0.4857);
  isNear(fisherTest({ hits: 2, of: 17 }, { hits: 10, of: 13 }), 0.0005367);
  assert.equal(fisherTest({ hits: 0, of: 50 }, { hits: 0, of: 10 }), 1);
  assert.ok(fisherTest({ hits: 3, of: 60 }, { hits: 14, of: 20 }) < 1e-7);
});

test('Fisher’s exact test is the same in both directions and for passed instead of failed', () => {
  const share = fc
    .integer({ min: 1, max: 800 })
    .chain((of) => fc.integer({ min: 0, max: of }).map((hits) => ({ hits, of })));
  fc.assert(
    fc.property(share, share, (one, other) => {
      const p = fisherTest(one, other);
      const passed = ({ hits, of }: typeof one) => ({ hits: of - hits, of });
      assert.ok(p >= 0 && p <= 1, String(p));
      if (p < 1e-300) return;
      isNear(fisherTest(other, one), p, 1e-6);
      isNear(fisherTest(passed(one), passed(other)), p, 1e-6);
    }),
  );
});

test('the limit of discoveries accepts the four comparisons of the paper of Benjamini and Hochberg', () => {
  const published = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
    0.759, 1,
  ];
  assert.equal(discoveryLimit(published.toReversed(), 0.05), 0.0095);
  assert.equal(discoveryLimit([0.04, 0.5], 0.05), 0);
  assert.equal(discoveryLimit([], 0.05), 0);
});

test('Kolmogorov’s distribution has its published critical values', () => {
  isNear(kolmogorovTail(1.3581), 0.05);
  isNear(kolmogorovTail(1.6276), 0.01);
  assert.equal(kolmogorovTail(0.1), 1);
});

test('equal values share the middle of their ranks', () => {
  assert.deepEqual(ranksOf([30, 10, 30, 20]), [3.5, 1, 3.5, 2]);
  assert.deepEqual(ranksOf([]), []);
});
