import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { stepWithin } from './step-through.ts';

test('a step moves by one row and stops at both ends', () => {
  assert.deepEqual([stepWithin(3, 0, 1), stepWithin(3, 1, 1), stepWithin(3, 2, 1)], [1, 2, 2]);
  assert.deepEqual([stepWithin(3, 2, -1), stepWithin(3, 1, -1), stepWithin(3, 0, -1)], [1, 0, 0]);
});

test('without a current row, both keys begin at the first', () => {
  assert.deepEqual([stepWithin(3, -1, 1), stepWithin(3, -1, -1)], [0, 0]);
});

test('a list that became shorter keeps the step within it', () => {
  assert.equal(stepWithin(2, 9, 1), 1);
  assert.equal(stepWithin(2, 9, -1), 1);
});

test('a step always ends at a row of a list that has one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: -1, max: 20_000 }),
      fc.constantFrom(1 as const, -1 as const),
      (length, index, step) => {
        const next = stepWithin(length, index, step);
        assert.ok(next >= 0 && next < length);
      },
    ),
  );
  assert.equal(stepWithin(0, -1, 1), 0);
});
