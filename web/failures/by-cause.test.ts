import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobFailure } from '#contract/failures/failures.ts';
import { byCause } from './by-cause.ts';

const failure = (jobId: number, groupId: string | null, step: string | null, kind = 'branch') =>
  ({ jobId, groupId, step: step && { number: 1, name: step }, assessment: { kind } }) as JobFailure;

test('jobs with the same failure are together, unless their step or assessment differs', () => {
  const failures = [
    failure(1, 'a', 'Test'),
    failure(2, 'b', 'Test'),
    failure(3, 'a', 'Test'),
    failure(4, 'a', 'Build'),
    failure(5, 'a', 'Test', 'flaky'),
    failure(6, null, 'Test'),
    failure(7, null, 'Test'),
  ];
  const ids = byCause(failures).map((equal) => equal.map(({ jobId }) => jobId));
  assert.deepEqual(ids, [[1, 3], [2], [4], [5], [6], [7]]);
});
