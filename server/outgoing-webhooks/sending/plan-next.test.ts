import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import { webhookPolicy } from '../policy.ts';
import { planNext } from './plan-next.ts';

const now = Date.UTC(2026, 0, 5);
const failed = { problem: 'The receiver did not accept it.', retryAfter: undefined };

function waitAfter(statusCode: number | null, tries: number, retryAfter?: string): number {
  const next = planNext({ ...failed, statusCode, retryAfter }, tries, now, webhookPolicy, () => 0);
  assert.equal(next.step, 'retry');
  return next.step === 'retry' ? next.waitMs : 0;
}

test('a failed webhook is repeated after seconds, then minutes, then every hour', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 500].map((tries) => waitAfter(500, tries) / 1000);
  assert.deepEqual(waits, [5, 30, 120, 600, 1800, 3600, 3600, 3600]);
  assert.equal(waitAfter(null, 500), hourMs);
});

test('a receiver that asks for more time gets it, up to a day', () => {
  assert.equal(waitAfter(429, 1, '120'), 120_000);
  assert.equal(waitAfter(503, 1, 'Mon, 05 Jan 2026 01:00:00 GMT'), hourMs);
  assert.equal(waitAfter(429, 1, '999999999'), dayMs);
  for (const ignored of ['', '-1', '1e9', 'soon', ' '.repeat(1000), 'Mon, 05 Jan 2020 01:00:00 GMT'])
    assert.equal(waitAfter(429, 1, ignored), 5_000, ignored);
  assert.equal(waitAfter(500, 1, '120'), 5_000);
});

test('a refused content is given up after three attempts, and 410 ends the subscription', () => {
  assert.equal(waitAfter(400, 2), 30_000);
  const stepOf = (statusCode: number, tries: number) =>
    planNext({ ...failed, statusCode }, tries, now, webhookPolicy).step;
  assert.equal(stepOf(400, 3), 'refused');
  assert.equal(stepOf(401, 99), 'retry');
  assert.equal(stepOf(410, 1), 'gone');
});
