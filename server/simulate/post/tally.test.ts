import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTally } from './tally.ts';

test('latency percentiles come from every answer, within a thousandth', () => {
  const tally = createTally(10);
  for (let ms = 1; ms <= 1000; ms += 1) tally.answered('200', ms);
  const { p50, p95, p99, max } = tally.summary().latencyMs ?? assert.fail('no latency');
  for (const [told, expected] of [
    [p50, 500],
    [p95, 950],
    [p99, 990],
    [max, 1000],
  ] as const) {
    assert.ok(Math.abs(told - expected) <= expected / 1000 + 0.001, `${told} for ${expected}`);
  }
});

test('without an answer there is no latency, and a summary is a copy', () => {
  const tally = createTally(undefined);
  tally.answered('ECONNREFUSED', null);
  const early = tally.summary();
  tally.answered('ECONNREFUSED', null);
  assert.deepEqual([early.latencyMs, early.byStatus, early.requestedRate], [null, { ECONNREFUSED: 1 }, null]);
});
