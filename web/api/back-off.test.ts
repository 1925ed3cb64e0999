import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOffMs } from './back-off.ts';

const highest = (failures: number): number => backOffMs(failures, () => 1);

test('the bound doubles from half a second to half a minute and stays there', () => {
  assert.deepEqual([0, 1, 2, 5, 6, 7, 2000].map(highest), [500, 1000, 2000, 16_000, 30_000, 30_000, 30_000]);
});

test('the delay is random below the bound', () => {
  assert.equal(
    backOffMs(3, () => 0),
    0,
  );
  assert.equal(
    backOffMs(3, () => 0.25),
    1000,
  );
});
