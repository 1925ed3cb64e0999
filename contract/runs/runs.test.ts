import assert from 'node:assert/strict';
import { test } from 'node:test';
import { billableMinutes } from './runs.ts';

test('each started minute of each executed job is billed', () => {
  assert.equal(billableMinutes({ durationMs: 61_000, conclusion: 'success' }), 2);
  assert.equal(billableMinutes({ durationMs: 60_000, conclusion: 'cancelled' }), 1);
  assert.equal(billableMinutes({ durationMs: 5_000, conclusion: 'skipped' }), 0);
  assert.equal(billableMinutes({ durationMs: null, conclusion: null }), 0);
});
