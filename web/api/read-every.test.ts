import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from './problem.ts';
import { readEvery } from './read-every.ts';

test('a query is read at its interval, and after a refusal when the server says', () => {
  const after = (error: Error | null): number => readEvery(5000)({ state: { error } });
  assert.equal(after(null), 5000);
  assert.equal(after(new ApiError('It failed.', { status: 500, code: 'internal' })), 5000);
  for (const retryAfterMs of [1000, 43_000])
    assert.equal(
      after(new ApiError('Too many.', { status: 429, code: 'too_many_requests', retryAfterMs })),
      retryAfterMs,
    );
});
