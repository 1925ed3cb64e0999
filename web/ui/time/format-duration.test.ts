import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAgo, formatDuration } from './format-duration.ts';

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

test('durations show their two largest units', () => {
  const shown = [
    -5,
    0,
    999,
    32 * s,
    59 * s + 999,
    m,
    3 * m + 5 * s,
    59 * m + 59 * s,
    h,
    26 * h,
    3 * d + 4 * h,
  ];
  assert.deepEqual(shown.map(formatDuration), [
    '0s',
    '0s',
    '0s',
    '32s',
    '59s',
    '1m 00s',
    '3m 05s',
    '59m 59s',
    '1h 00m',
    '1d 2h',
    '3d 4h',
  ]);
});

test('ages show their largest unit and no future times', () => {
  const shown = [-90 * s, 400, 4 * s, 59 * m, 23 * h, d, 59 * d, 61 * d, 700 * d, 800 * d];
  assert.deepEqual(shown.map(formatAgo), [
    'now',
    'now',
    '4s ago',
    '59m ago',
    '23h ago',
    '1d ago',
    '59d ago',
    '2mo ago',
    '22mo ago',
    '2y ago',
  ]);
});
