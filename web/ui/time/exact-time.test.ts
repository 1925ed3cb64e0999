import assert from 'node:assert/strict';
import { test } from 'node:test';

// Must be set before the formatters are created.
process.env['TZ'] = 'America/Los_Angeles';
const { clockTime, exactTime } = await import('./exact-time.ts');

test('an exact time is local, to the second, with its zone', () => {
  assert.match(exactTime('2026-11-20T12:34:56.000Z'), /20.*2026.*4:34:56.*America\/Los_Angeles$/);
  assert.match(exactTime('2026-07-01T00:00:00Z'), /30.*2026.*5:00:00/);
});

test('a time of today has no date, and any other day has one', () => {
  const now = Date.parse('2026-11-20T20:00:00Z');
  const at = (time: string): string => clockTime(Date.parse(time), now);
  assert.match(at('2026-11-20T22:03:00Z'), /^2:03/);
  // Midnight in the zone of the reader, not in UTC.
  assert.match(at('2026-11-21T07:59:00Z'), /^11:59/);
  assert.match(at('2026-11-21T08:00:00Z'), /21.*12:00/);
  assert.match(at('2026-11-20T07:59:00Z'), /19.*11:59/);
  assert.match(at('2025-11-20T22:03:00Z'), /2025/);
});

test('without a time to compare with, today is the day of the reader', () => {
  assert.doesNotMatch(clockTime(Date.now()), /20\d\d/);
  assert.match(clockTime(Date.now() - 400 * 86_400_000), /20\d\d/);
});
