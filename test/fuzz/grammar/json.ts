import * as fc from 'fast-check';
import type { Piece } from '../case.ts';
import { oddText } from './text.ts';

/** Values as JSON writes them, many of which only JSON can write. */
const poison: fc.Arbitrary<Piece[]> = fc.oneof(
  fc
    .constantFrom(
      'null',
      'true',
      '0',
      '-0',
      '-1',
      '0.5',
      '1e400',
      '-1e400',
      '1e-400',
      '1152921504606846976',
      '9007199254740993',
      '""',
      '[]',
      '{}',
      '[null]',
      '"\\u0000"',
      '"\\ud800"',
      '"\\udc00x\\ud800"',
      '"\\u202e"',
      '{"__proto__":{"id":1}}',
      '{"constructor":{"prototype":{"x":1}}}',
      '{"a":1,"a":2}',
      '{"toString":null}',
      '[1,]',
      '{,}',
      "'x'",
      'NaN',
      'undefined',
      '01',
      '"\t"',
      '/**/1',
      '\ufeff1',
    )
    .map((text) => [text]),
  oddText.map((text) => [JSON.stringify(text)]),
  fc.jsonValue({ maxDepth: 4 }).map((value) => [JSON.stringify(value)]),
  fc.integer({ min: 1, max: 20_000 }).map((times) => [
    { each: '[', times },
    { each: ']', times },
  ]),
  fc.integer({ min: 1, max: 10_000 }).map((times) => [{ each: '{"a":', times }, '1', { each: '}', times }]),
  fc.integer({ min: 1, max: 60_000 }).map((times) => ['[0', { each: ',0', times }, ']']),
  fc.integer({ min: 1, max: 20_000 }).map((times) => ['{"k":0', { each: ',"k#":0', times }, '}']),
  fc.integer({ min: 1, max: 20_000 }).map((times) => ['{"k":0', { each: ',"k":0', times }, '}']),
  fc
    .tuple(
      fc.constantFrom('x', '\\u0000', '\\"', '\\\\', 'é', '\u{1F600}', ' ', '\\ud800', 'a,', '*', '?*', '/'),
      fc.integer({ min: 1, max: 40_000 }),
    )
    .map(([each, times]) => ['"', { each, times }, '"']),
  fc.integer({ min: 1, max: 100_000 }).map((times) => [{ each: '9', times }]),
  fc.integer({ min: 1, max: 100_000 }).map((times) => [{ each: ' ', times }, '1']),
  // Never ended: what looks for the end from each quote is quadratic.
  fc.integer({ min: 1, max: 100_000 }).map((times) => ['"', { each: '\\"', times }]),
  fc.integer({ min: 1, max: 100_000 }).map((times) => [{ each: '{"', times }]),
);

type Place = (string | number)[];

const marker = '@@poison@@';

/** JSON of a value: as it is, with poison in one place, or damaged as a text. */
export function jsonOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<Piece[]> {
  const intact = value.map((each): Piece[] => [JSON.stringify(each ?? null)]);
  return fc.oneof(
    { arbitrary: intact, weight: 4 },
    { arbitrary: fc.tuple(value, fc.nat(), poison).map(poisoned), weight: 5 },
    { arbitrary: fc.tuple(value, fc.nat(), oddKey, poison).map(withField), weight: 2 },
    { arbitrary: fc.tuple(value, fc.nat(), damage).map(damaged), weight: 2 },
    { arbitrary: poison, weight: 2 },
  );
}

function poisoned([value, at, pieces]: [unknown, number, Piece[]]): Piece[] {
  const places = placesOf(value, [], 5);
  const place = places[at % places.length] ?? [];
  const [before = '', after = ''] = JSON.stringify(replaced(value, place, marker)).split(`"${marker}"`);
  return [before, ...pieces, after];
}

const oddKey = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toJSON',
    'length',
    'integrationId',
    'ownerId',
    '',
  ),
  oddText,
);

/** A field more, before the others: unknown, repeated, or one that reaches into a prototype. */
function withField([value, , key, pieces]: [unknown, number, string, Piece[]]): Piece[] {
  const text = JSON.stringify(value ?? null);
  if (!text.startsWith('{')) return [text];
  const rest = text.slice(1);
  return [`{${JSON.stringify(key)}:`, ...pieces, rest === '}' ? rest : `,${rest}`];
}

const damage = fc.constantFrom('cut', 'bom', 'tail', 'utf8', 'utf16', 'twice');

function damaged([value, at, way]: [unknown, number, string]): Piece[] {
  const text = JSON.stringify(value ?? null);
  const middle = at % (text.length + 1);
  if (way === 'cut') return [text.slice(0, middle)];
  if (way === 'bom') return ['\ufeff', text];
  if (way === 'tail') return [text, ' x'];
  if (way === 'utf8')
    return [
      text.slice(0, middle),
      { base64: Buffer.from([0xc3, 0x28, 0xff]).toString('base64') },
      text.slice(middle),
    ];
  if (way === 'utf16') return [{ base64: Buffer.from(`\ufeff${text}`, 'utf16le').toString('base64') }];
  return [text, text];
}

function placesOf(value: unknown, place: Place, depth: number): Place[] {
  if (typeof value !== 'object' || value === null || depth === 0) return [place];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, 3).map((each, index) => [index, each])
    : Object.entries(value);
  return [place, ...entries.flatMap(([name, each]) => placesOf(each, [...place, name], depth - 1))];
}

function replaced(value: unknown, [first, ...rest]: Place, by: unknown): unknown {
  if (first === undefined) return by;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((each, index) => (index === first ? replaced(each, rest, by) : each));
  return { ...value, [first]: replaced((value as Record<string, unknown>)[first], rest, by) };
}
