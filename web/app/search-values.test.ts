import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { TimeInput } from '#contract/base/schema.ts';
import { readNumber, readText, readTime } from './search-values.ts';

const noTexts: unknown[] = [undefined, null, true, [], ['a'], {}, { toString: () => 'a' }, Symbol('a'), 1n];

test('a text is kept as it is, and a number is its text', () => {
  for (const text of ['a', ' a ', '😀', 'x'.repeat(20), '\n', '\u202e', '__proto__'])
    assert.equal(readText(text, 20), text);
  assert.equal(readText(412, 20), '412');
});

test('a text that the server would refuse is dropped', () => {
  for (const text of ['', 'x'.repeat(21), '\0', 'a\0b', '\ud83d', '\ude00', 'a\ud83db', ...noTexts])
    assert.equal(readText(text, 20), undefined, JSON.stringify(String(text)));
});

test('an emoji counts as the two code units that it has', () => {
  assert.equal(readText('😀'.repeat(10), 20), '😀'.repeat(10));
  assert.equal(readText('😀'.repeat(10), 19), undefined);
});

test('a time of any zone becomes a time in UTC', () => {
  for (const [text, time] of [
    ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000Z'],
    ['2026-11-20T12:00:00.123456789Z', '2026-11-20T12:00:00.123Z'],
    ['2026-11-20T12:00:00+05:45', '2026-11-20T06:15:00.000Z'],
    ['2026-11-20T00:30:00+14:00', '2026-11-19T10:30:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['8999-12-31T23:59:59.999Z', '8999-12-31T23:59:59.999Z'],
  ] as const)
    assert.equal(readTime(text), time);
});

test('other texts are no time, although the browser would guess one', () => {
  for (const text of [
    '',
    '1',
    '0',
    '2026',
    '20261120',
    'Nov 20, 2026',
    '20 Nov 2026 12:00',
    '2026-11-20 12:00',
    'now',
    '2026-13-01T00:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20T12:00:00+25:00',
    '2026-11-20Tabc',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00+00:01',
    '9000-01-01T00:00:00Z',
    '8999-12-31T23:59:59-00:01',
    '+012026-11-20T12:00:00Z',
    '-002026-11-20T12:00:00Z',
    ...noTexts,
    1_795_000_000_000,
  ])
    assert.equal(readTime(text), undefined, String(text));
});

test('each time that is read is one that the server accepts, and the same instant', () => {
  const accepted = Compile(TimeInput);
  const date = fc.date({ min: new Date('1960-01-01'), max: new Date('9010-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(date, (at) => {
      const time = readTime(at.toISOString());
      if (time === undefined) return assert.ok(at.getUTCFullYear() < 1970 || at.getUTCFullYear() >= 9000);
      assert.ok(accepted.Check(time), time);
      assert.equal(Date.parse(time), at.getTime());
    }),
  );
});

test('a number is positive and whole, in plain digits', () => {
  for (const [value, number] of [
    ['1', 1],
    [7, 7],
    ['4711', 4711],
    ['999999999999999', 999_999_999_999_999],
  ] as const)
    assert.equal(readNumber(value), number);
  for (const value of [
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1.5',
    '1e3',
    '0x10',
    ' 7',
    '7 ',
    '٣',
    '',
    'latest',
    '9'.repeat(16),
    0,
    -1,
    1.5,
    NaN,
    Infinity,
    2 ** 60,
    1e21,
    ...noTexts,
  ])
    assert.equal(readNumber(value), undefined, String(value));
});
