import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import { errorOfAnswer, RateLimited, type ForgeHeaders } from './errors.ts';

function waitAfter(headers: ForgeHeaders): number | undefined {
  const error = errorOfAnswer(429, headers, 'Too many requests');
  assert.ok(error instanceof RateLimited);
  return error.waitMs;
}

test('a forge that limits calls is asked again after the seconds or at the date that it names', () => {
  assert.equal(waitAfter({ 'retry-after': '90' }), 90_000);
  assert.equal(waitAfter({ 'retry-after': 90 }), 90_000);
  const at = new Date(Date.now() + hourMs).toUTCString();
  const untilDate = waitAfter({ 'retry-after': at });
  assert.ok(untilDate !== undefined && Math.abs(untilDate - hourMs) < 5_000, `${untilDate}`);
  const reset = Math.floor(Date.now() / 1000) + 3_600;
  const untilReset = waitAfter({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) });
  assert.ok(untilReset !== undefined && Math.abs(untilReset - hourMs) < 5_000, `${untilReset}`);
});

test('a time that a forge names is at least a second and at most a day, and nonsense is ignored', () => {
  assert.equal(waitAfter({ 'retry-after': '0' }), 1_000);
  assert.equal(waitAfter({ 'retry-after': '999999999' }), dayMs);
  assert.equal(waitAfter({ 'retry-after': new Date(0).toUTCString() }), 1_000);
  for (const value of ['', '-1', '1e9', 'soon', ' '.repeat(100_000)])
    assert.equal(waitAfter({ 'retry-after': value }), undefined, value.slice(0, 10));
});
