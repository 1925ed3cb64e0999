import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { formatAgo, formatDuration, formatFor } from './format-duration.ts';

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
  assert.deepEqual([400, 3 * h, 61 * d].map(formatFor), ['for 1s', 'for 3h', 'for 2mo']);
});

test('an older age never has a younger text', () => {
  const units = { s, m, h, d, mo: 30.4 * d, y: 365 * d };
  let before = 0;
  for (let days = 0; days < 5000; days++) {
    const [, count, unit] = /^(\d+)(\w+) ago$/.exec(formatAgo(days * d + h)) ?? [];
    const age = Number(count) * units[unit as keyof typeof units];
    assert.ok(age >= before, `${formatAgo(days * d)} after ${before / d} days`);
    before = age;
  }
});

test('an age is at most one unit behind', () => {
  fc.assert(
    fc.property(fc.integer({ min: s, max: 4000 * d }), (ageMs) => {
      const [, count, unit] = /^(\d+)(\w+) ago$/.exec(formatAgo(ageMs)) ?? [];
      const size = { s, m, h, d, mo: 30.44 * d, y: 365.25 * d }[unit ?? ''] ?? NaN;
      assert.ok(Number(count) >= 1);
      assert.ok(Math.abs(ageMs - Number(count) * size) <= size + d, formatAgo(ageMs));
    }),
  );
});

test('a longer duration never has a shorter text, and each text can be read back', () => {
  const sizes: Record<string, number> = { s, m, h, d };
  const read = (text: string): number =>
    [...text.matchAll(/(\d+)([smhd])/g)].reduce(
      (sum, [, count, unit]) => sum + Number(count) * sizes[unit!]!,
      0,
    );
  fc.assert(
    fc.property(fc.nat(40 * d), fc.nat(2 * h), (ms, more) => {
      const [one, other] = [read(formatDuration(ms)), read(formatDuration(ms + more))];
      assert.ok(one <= ms && ms - one < h, formatDuration(ms));
      assert.ok(one <= other);
    }),
  );
});
