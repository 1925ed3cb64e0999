import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isolatedSteps } from './isolated.ts';

for (const [values, steps] of [
  [[null, 4, null], [1]],
  [[4], [0]],
  [
    [4, null, 0, null, 5],
    [0, 2, 4],
  ],
  [[4, 5, null, null, 6, 7], []],
  [[null, null], []],
  [[], []],
] as const)
  test(`of ${JSON.stringify(values)}, the steps ${JSON.stringify(steps)} have no neighbour`, () => {
    assert.deepEqual(isolatedSteps(values), steps);
  });
