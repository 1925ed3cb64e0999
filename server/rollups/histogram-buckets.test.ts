import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { bucketMiddleMs, bucketOf } from './histogram-buckets.ts';

const longestRunMs = 35 * 24 * 3_600_000;

test('a bucket has at most 2 % relative error, from a millisecond to the longest run', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: longestRunMs })),
      (ms) => {
        const error = Math.abs(bucketMiddleMs(bucketOf(ms)) - ms) / ms;
        assert.ok(error <= 0.02, `${ms} ms is off by ${error}`);
      },
    ),
    { numRuns: 5000 },
  );
});

test('a percentile from buckets has at most 2 % relative error', () => {
  const durations = fc.array(fc.integer({ min: 1, max: longestRunMs }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95), (list, quantile) => {
      const rank = Math.ceil(list.length * quantile) - 1;
      const exact = list.toSorted((a, b) => a - b)[rank]!;
      const answered = bucketMiddleMs(list.map(bucketOf).sort((a, b) => a - b)[rank]!);
      assert.ok(Math.abs(answered - exact) / exact <= 0.02);
    }),
  );
});

test('zero has its own bucket, and buckets grow with time', () => {
  assert.deepEqual([0, 0.5, 1].map(bucketOf), [0, 0, 1]);
  assert.equal(bucketMiddleMs(0), 0);
  assert.equal(bucketOf(longestRunMs), 557);
});
