import assert from 'node:assert/strict';
import { test } from 'node:test';

// Must be set before the formatters are created.
process.env['TZ'] = 'America/Los_Angeles';
const { sinceText } = await import('./since-text.ts');

const now = Date.parse('2026-11-20T20:00:00Z');

test('a time of today is a time of the clock', () => {
  assert.match(sinceText('2026-11-20T17:05:00Z', now), /^9:05/);
  assert.match(sinceText('2026-11-20T08:00:00Z', now), /^12:00/);
});

test('the last six days are named, by the calendar of the reader', () => {
  assert.equal(sinceText('2026-11-20T07:59:00Z', now), 'Thursday');
  assert.equal(sinceText('2026-11-16T20:00:00Z', now), 'Monday');
  assert.equal(sinceText('2026-11-14T20:01:00Z', now), 'Saturday');
});

test('older times are dates', () => {
  assert.match(sinceText('2026-11-14T20:00:00Z', now), /14/);
  assert.match(sinceText('2026-11-13T20:00:00Z', now), /13/);
});

test('no day is named like today', () => {
  const today = new Intl.DateTimeFormat(undefined, { weekday: 'long' }).format(now);
  for (let hours = 0; hours < 24 * 10; hours++)
    assert.notEqual(sinceText(new Date(now - hours * 3_600_000).toISOString(), now), today);
});
