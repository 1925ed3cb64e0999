import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { disturb } from './disturb.ts';

const numbers = Array.from({ length: 500 }, (_, index) => index);

test('disturb changes nothing unless it is asked to', () => {
  assert.deepEqual([...disturb(numbers, { seed: 1, duplicates: 0, shuffle: false })], numbers);
});

test('disturb loses no item, repeats only the given share, and is the same for the same seed', () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(0, 0.2, 1), fc.boolean(), (seed, duplicates, shuffle) => {
      const result = [...disturb(numbers, { seed, duplicates, shuffle })];
      assert.deepEqual(result, [...disturb(numbers, { seed, duplicates, shuffle })]);
      const counts = [...Map.groupBy(result, (item) => item).values()].map(({ length }) => length);
      assert.equal(counts.length, numbers.length);
      assert.ok(counts.every((count) => count <= 2));
      const share = (result.length - numbers.length) / numbers.length;
      assert.ok(Math.abs(share - duplicates) < 0.1, String(share));
    }),
    { numRuns: 30 },
  );
});

test('disturb sends shuffled items out of order, but not far from their place', () => {
  const result = [...disturb(numbers, { seed: 2, duplicates: 0, shuffle: true })];
  const moves = result.map((item, index) => Math.abs(item - index));
  assert.ok(moves.filter((distance) => distance > 0).length > 300);
  assert.ok(moves.reduce((sum, distance) => sum + distance, 0) / moves.length < 15);
});

test('disturb repeats an item after its first delivery when the order is kept', () => {
  const result = [...disturb(numbers, { seed: 3, duplicates: 0.5, shuffle: false })];
  assert.deepEqual([...new Set(result)], numbers);
});
