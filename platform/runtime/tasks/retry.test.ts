import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retry } from './retry.ts';

const backOff = { firstMs: 1, longestMs: 4 };

test('a task is repeated until it succeeds, and each failure is reported with its delay', async () => {
  const failures: unknown[] = [];
  let attempts = 0;
  const result = await retry(
    async () => {
      attempts += 1;
      if (attempts < 4) throw new Error(`attempt ${attempts}`);
      return 'done';
    },
    {
      backOff,
      onFailure: (error, waitMs) => {
        assert.ok(waitMs <= backOff.longestMs);
        failures.push((error as Error).message);
      },
    },
  );
  assert.equal(result, 'done');
  assert.deepEqual(failures, ['attempt 1', 'attempt 2', 'attempt 3']);
});

test('an error that the caller rethrows ends the attempts', async () => {
  const attempt = async (): Promise<never> => {
    throw new Error('permanent');
  };
  const onFailure = (error: unknown): never => {
    throw error;
  };
  await assert.rejects(retry(attempt, { backOff, onFailure }), /permanent/);
});

test('an abort ends the wait', async () => {
  const stopping = new AbortController();
  let attempts = 0;
  const waiting = retry(
    async () => {
      attempts += 1;
      throw new Error('away');
    },
    {
      backOff: { leastMs: 600_000, firstMs: 600_000, longestMs: 600_000 },
      signal: stopping.signal,
      onFailure: () => stopping.abort(),
    },
  );
  await assert.rejects(waiting, { name: 'AbortError' });
  assert.equal(attempts, 1);
});
