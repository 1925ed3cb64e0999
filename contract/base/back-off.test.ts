import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOffMs } from './back-off.ts';

const policy = { firstMs: 100, longestMs: 1500 };

test('the longest delay doubles with each failure up to the limit', () => {
  const delays = [0, 1, 2, 3, 4, 5, 5000].map((failures) => backOffMs(policy, failures, () => 1));
  assert.deepEqual(delays, [100, 200, 400, 800, 1500, 1500, 1500]);
});

test('a delay is random between the least and the longest', () => {
  assert.equal(
    backOffMs(policy, 3, () => 0),
    0,
  );
  assert.equal(
    backOffMs({ ...policy, leastMs: 50 }, 1, () => 0.5),
    125,
  );
});
