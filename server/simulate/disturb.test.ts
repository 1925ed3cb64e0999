import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { duplicate, shuffle } from './disturb.ts';

const indexes = fc.integer({ min: 0, max: 200 }).map((length) => Array.from({ length }, (_, index) => index));
const byNumber = (a: number, b: number): number => a - b;

test('shuffling keeps every item exactly once, and the same seed gives the same order', () => {
  fc.assert(
    fc.property(indexes, fc.integer(), fc.constantFrom(1, 7, Infinity), (items, seed, window) => {
      const result = [...shuffle(items, { seed, window })];
      assert.deepEqual(result.toSorted(byNumber), items);
      assert.deepEqual([...shuffle(items, { seed, window })], result);
    }),
  );
});

test('shuffling within a window moves items, none further than the window', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 2, max: 40 }), (seed, window) => {
      const items = Array.from({ length: 300 }, (_, index) => index);
      const moves = [...shuffle(items, { seed, window })].map((item, place) => Math.abs(item - place));
      assert.ok(Math.max(...moves) <= window);
      assert.ok(Math.max(...moves) > 0);
    }),
  );
});

function* naturals(): Generator<number> {
  for (let n = 0; ; n += 1) yield n;
}

test('shuffling within a window works on an endless stream', () => {
  assert.equal([...shuffle(naturals(), { seed: 1, window: 10 }).take(50)].length, 50);
});

test('duplicate repeats the same item a little later and drops nothing', () => {
  fc.assert(
    fc.property(indexes, fc.integer(), fc.integer({ min: 1, max: 30 }), (items, seed, within) => {
      const objects = items.map((index) => ({ index }));
      const result = [...duplicate(objects, { seed, share: 0.3, within })];
      assert.deepEqual(new Set(result), new Set(objects));
      for (const object of objects) {
        const [first, second, third] = result.flatMap((other, place) => (other === object ? [place] : []));
        assert.equal(third, undefined);
        assert.ok(first !== undefined && (second === undefined || second > first));
      }
    }),
  );
  assert.equal([...duplicate([1, 2, 3], { seed: 1, share: 1 })].length, 6);
  assert.deepEqual([...duplicate([1, 2, 3], { seed: 1, share: 0 })], [1, 2, 3]);
});
