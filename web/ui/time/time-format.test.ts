import assert from 'node:assert/strict';
import { test } from 'node:test';

// Must run before the formatters are created.
process.env['TZ'] = 'America/Los_Angeles';
const { timeFormat } = await import('./time-format.ts');

test('each hour has its own label, also the repeated one at the end of daylight saving time', () => {
  const start = Date.parse('2026-10-25T00:00:00Z');
  const hours = Array.from({ length: 14 * 24 }, (_, index) => start + index * 3_600_000);
  assert.equal(new Set(hours.map(timeFormat('hour'))).size, hours.length);
});

test('a day has its own label, also when it is one of UTC', () => {
  assert.match(timeFormat('day')(Date.parse('2026-11-20T00:00:00Z')), /20.* UTC$/);
  assert.match(timeFormat('day')(Date.parse('2026-11-20T08:00:00Z')), /20/);
});
