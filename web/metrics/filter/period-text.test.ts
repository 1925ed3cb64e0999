import assert from 'node:assert/strict';
import { test } from 'node:test';
import { periodText } from './period-text.ts';

process.env['TZ'] = 'America/Los_Angeles';
const now = Date.parse('2026-11-27T00:00:00.000Z');

test('a period of days has the days that the server counts, and says when they are those of UTC', () => {
  const text = periodText({ from: '2026-11-18T00:00:00.000Z', to: '2026-11-25T00:00:00.000Z' }, now);
  assert.match(text, /^Nov 18\s*–\s*24 UTC$/);
  const local = periodText({ from: '2026-11-18T08:00:00.000Z', to: '2026-11-25T08:00:00.000Z' }, now);
  assert.match(local, /^Nov 18\s*–\s*24$/);
});

test('a short period has its local hours', () => {
  const text = periodText({ from: '2026-11-18T17:00:00.000Z', to: '2026-11-18T19:00:00.000Z' }, now);
  assert.match(text, /9:00.*–.*10:59/);
});

test('a period of another year names it', () => {
  const days = { from: '2025-12-28T00:00:00.000Z', to: '2026-01-04T00:00:00.000Z' };
  assert.match(periodText(days, now), /^Dec 28, 2025\s*–\s*Jan 3, 2026 UTC$/);
  const hours = { from: '2025-11-18T17:00:00.000Z', to: '2025-11-18T19:00:00.000Z' };
  assert.match(periodText(hours, now), /Nov 18, 2025.*9:00.*–.*10:59/);
});
