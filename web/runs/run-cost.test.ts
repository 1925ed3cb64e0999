import assert from 'node:assert/strict';
import { test } from 'node:test';
import { billableMinutes } from './run-cost.ts';
import { someJob } from './some-job.ts';

test('each started minute of each executed job is billed', () => {
  const jobs = [
    someJob({ jobId: 1, durationMs: 61_000, conclusion: 'success' }),
    someJob({ jobId: 2, durationMs: 60_000, conclusion: 'failure' }),
    someJob({ jobId: 3, durationMs: 5_000, conclusion: 'skipped' }),
    someJob({ jobId: 4 }),
  ];
  assert.equal(billableMinutes(jobs), 3);
  assert.equal(billableMinutes([]), 0);
});
