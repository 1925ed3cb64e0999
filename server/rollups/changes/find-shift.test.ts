import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { addSteps, findShift, type Step } from './find-shift.ts';

const step = fc
  .record({ total: fc.integer({ min: 0, max: 20 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ total, share }): Step => ({ hits: Math.round(total * share), total }));
const steps = fc.array(step, { maxLength: 30 });
const minimum = fc.integer({ min: 1, max: 12 });

/** The squared distances of all runs to the share of their side. */
function distance(side: readonly Step[]): number {
  const { hits, total } = addSteps(side);
  return total === 0 ? 0 : (hits * (total - hits)) / total;
}

test('findShift finds the division with the smallest distances to both levels', () => {
  fc.assert(
    fc.property(steps, minimum, (list, least) => {
      const index = findShift(list, least);
      const gains = list.map((first, place) => {
        const [left, right] = [list.slice(0, place), list.slice(place)];
        const [before, after] = [addSteps(left), addSteps(right)];
        const isAllowed = first.total > 0 && before.total >= least && after.total >= least;
        const rises = after.hits * before.total > before.hits * after.total;
        return isAllowed && rises ? distance(list) - distance(left) - distance(right) : 0;
      });
      const best = Math.max(0, ...gains);
      if (index === undefined) assert.ok(best < 1e-9, `${best}`);
      else assert.ok(gains[index]! > best - 1e-9, `${gains[index]} of ${best}`);
    }),
  );
});

test('findShift finds a clear step exactly, whatever comes in between', () => {
  const level = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(level, level, (before, after) => {
      const list = [
        ...[5, ...before].map((total) => ({ hits: 0, total })),
        ...[5, ...after].map((total) => ({ hits: total, total })),
      ];
      assert.equal(findShift(list, 5), before.length + 1);
    }),
  );
});

test('findShift finds nothing in a level that stays or falls, or with too few runs on a side', () => {
  const of = (hits: number, total = 10): Step => ({ hits, total });
  assert.equal(findShift([], 1), undefined);
  assert.equal(findShift([of(3), of(3), of(3)], 1), undefined);
  assert.equal(findShift([of(9), of(5), of(1)], 1), undefined);
  assert.equal(findShift([of(0), of(10)], 11), undefined);
  assert.equal(findShift([of(0), of(10)], 10), 1);
});
