import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { linesOf, toSeconds, type LogLine } from './log-line.ts';
import { plainText } from './plain-text.ts';

type ReadLine = Pick<LogLine, 'time' | 'raw' | 'text'>;

function splitTimestamp(line: string): Pick<LogLine, 'time' | 'raw'> {
  const [{ time, raw } = { time: undefined, raw: '' }] = linesOf(line);
  return { time, raw };
}

test('the timestamp of a forge is separated from its line', () => {
  for (const [line, time, raw] of [
    ['2026-11-20T10:00:01.1234567Z hello', '2026-11-20T10:00:01', 'hello'],
    ['2026-11-20T10:00:01Z hello', '2026-11-20T10:00:01', 'hello'],
    ['2026-11-20T11:00:01.5+01:00 hello', '2026-11-20T10:00:01', 'hello'],
    ['2026-11-20T00:30:00-10:00 hello', '2026-11-20T10:30:00', 'hello'],
    ['\ufeff2026-11-20T10:00:01.1234567Z first', '2026-11-20T10:00:01', 'first'],
    ['2026-11-20T10:00:01.1234567Z', '2026-11-20T10:00:01', ''],
    ['2026-11-20T10:00:01.1234567Z   indented', '2026-11-20T10:00:01', '  indented'],
  ] as const)
    assert.deepEqual(splitTimestamp(line), { time, raw });
});

test('a line without a timestamp stays as it is', () => {
  for (const line of [
    '',
    'hello',
    ' 2026-11-20T10:00:01Z x',
    '2026-11-20 10:00:01 x',
    '2026-11-20T10:00:01 x',
  ])
    assert.deepEqual(splitTimestamp(line), { time: undefined, raw: line });
});

test('an impossible time of another zone is no time', () => {
  assert.equal(splitTimestamp('2026-99-20T10:00:01+01:00 x').time, undefined);
});

test('a progress bar shows its last state', () => {
  assert.equal(splitTimestamp('2026-11-20T10:00:01Z 10%\r50%\r100% done').raw, '100% done');
  assert.equal(splitTimestamp('10%\r50%').raw, '50%');
});

test('a time is the same second, whatever its zone and precision', () => {
  const date = fc.date({ min: new Date('1971-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(date, fc.integer({ min: -14 * 60, max: 14 * 60 }), (at, offset) => {
      const local = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const two = (number: number): string => String(number).padStart(2, '0');
      const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
      const expected = at.toISOString().slice(0, 19);
      assert.equal(toSeconds(local + zone), expected);
      assert.deepEqual(splitTimestamp(`${local}${zone} x`), { time: expected, raw: 'x' });
    }),
  );
});

/** Reads each line alone. */
function readLine(line: string): ReadLine {
  const [prefix = '', time, zone] =
    /^\uFEFF?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d) ?/.exec(line) ?? [];
  const rest = line.slice(prefix.length);
  const raw = rest.slice(rest.lastIndexOf('\r') + 1);
  return {
    time: zone === undefined ? undefined : toSeconds(`${time}${zone}`),
    raw,
    text: plainText(raw),
  };
}

test('a text is read like each of its lines alone', () => {
  const parts = [
    '2026-11-20T10:00:01.1234567Z ',
    '2026-11-20T11:00:01+01:00',
    '\ufeff',
    '\r',
    '\t',
    ' ',
    'x',
    'ü',
    '✓',
  ];
  const sequences = [
    '\u001b',
    '\u001b[31m',
    '\u001b[',
    '\u001b]0;t',
    '\u0007',
    '\u001bP',
    '\u009b1',
    '\u001b(',
    '\u200b',
    '😀',
    '\u{e0041}',
  ];
  const line = fc.array(fc.constantFrom(...parts, ...sequences), { maxLength: 8 }).map((all) => all.join(''));
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('\n', '\r\n'),
      (lines, end) => {
        const whole = lines.map((each) => each.replace(/\r+$/, ''));
        const read = linesOf(whole.join(end)).map(({ time, raw, text }) => ({ time, raw, text }));
        assert.deepEqual(read, whole.map(readLine));
      },
    ),
  );
});
