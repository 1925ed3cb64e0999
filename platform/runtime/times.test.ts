import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { showTime, storedTimeMs, timeMs, timeText } from './times.ts';

const anyTime = fc.integer({ min: 1, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });
const iso = (ms: number): string => new Date(ms).toISOString();

test('times of a payload are read in every precision and zone', () => {
  for (const [text, time] of [
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00.5Z', '2026-11-20T10:00:00.500Z'],
    ['2026-11-20T10:00:00.123Z', '2026-11-20T10:00:00.123Z'],
    ['2026-11-20T10:00:00.123456789Z', '2026-11-20T10:00:00.123Z'],
    ['2026-11-20T10:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00+01:00', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T10:00:00-09:30', '2026-11-20T19:30:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2026-12-31T23:59:59-01:00', '2027-01-01T00:59:59.000Z'],
  ] as const) {
    assert.equal(timeText(text), time);
    assert.equal(timeMs(text), Date.parse(time));
  }
});

test('a time that means "none" and a text that is no time are null', () => {
  for (const value of [
    '0001-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '1970-01-01T01:00:00+01:00',
    '1969-07-20T20:17:00Z',
    '',
    'now',
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-11-20 10:00:00Z',
    '2026-13-20T10:00:00Z',
    '2026-11-32T10:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20T10:60:00Z',
    ' 2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00Z\n',
    '9999-12-31T23:59:59-00:01',
    '+012026-11-20T10:00:00Z',
    `2026-11-20T10:00:00.${'0'.repeat(30)}Z`,
    null,
    undefined,
    1_795_000_000_000,
    new Date(),
    {},
    ['2026-11-20T10:00:00Z'],
  ]) {
    assert.equal(timeText(value), null, String(value));
    assert.equal(timeMs(value), null, String(value));
  }
});

test('every time has the text that JavaScript gives it, and is read back from it', () => {
  fc.assert(
    fc.property(anyTime, (ms) => {
      assert.equal(showTime(ms), iso(ms));
      assert.equal(timeMs(iso(ms)), ms);
      assert.equal(timeText(iso(ms)), iso(ms));
    }),
  );
});

test('times before 1970 have a text too', () => {
  for (const text of ['1969-12-31T23:59:59.999Z', '1900-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'])
    assert.equal(showTime(Date.parse(text)), text);
  assert.equal(showTime(null), null);
});

test('both readers agree on every text that resembles a time', () => {
  const two = fc.integer({ min: 0, max: 69 }).map((number) => String(number).padStart(2, '0'));
  const text = fc
    .tuple(
      fc.constantFrom('0001', '1969', '1970', '1971', '2026', '2028', '2999', '3000', '9999'),
      fc.array(two, { minLength: 5, maxLength: 5 }),
      fc.constantFrom('', '.5', '.123', '.123456789'),
      fc.constantFrom('Z', '+00:00', '-12:00', '+14:00', '', '+1', 'z'),
    )
    .map(
      ([year, [month, day, hour, minute, second], part, zone]) =>
        `${year}-${month}-${day}T${hour}:${minute}:${second}${part}${zone}`,
    );
  fc.assert(
    fc.property(text, (value) => {
      const ms = timeMs(value);
      assert.equal(timeText(value), ms === null ? null : iso(ms));
      if (ms !== null) assert.equal(ms, Date.parse(value));
    }),
    { numRuns: 2000 },
  );
});

test('times of Postgres are read in every form that it writes', () => {
  for (const [text, time] of [
    ['2026-11-20 10:00:00+00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20 10:00:00.5+00', '2026-11-20T10:00:00.500Z'],
    ['2026-11-20 10:00:00.123456+00', '2026-11-20T10:00:00.123Z'],
    ['2026-11-20 10:00:00+02', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20 10:00:00-03', '2026-11-20T13:00:00.000Z'],
    ['2026-11-20 10:00:00+05:45', '2026-11-20T04:15:00.000Z'],
    ['1969-12-31 23:59:59+00', '1969-12-31T23:59:59.000Z'],
  ] as const)
    assert.equal(storedTimeMs(text), Date.parse(time), text);
});

test('a stored time of any day is the one that was stored', () => {
  fc.assert(
    fc.property(anyTime, (ms) => {
      const seconds = Math.floor(ms / 1000) * 1000;
      assert.equal(storedTimeMs(`${iso(seconds).slice(0, 19).replace('T', ' ')}+00`), seconds);
      assert.equal(storedTimeMs(`${iso(ms).slice(0, 23).replace('T', ' ')}+00`), ms);
    }),
  );
});
