import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { AppError } from '../runtime/app-error.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';

const at = fc.bigInt({ min: -(10n ** 16n), max: 10n ** 17n - 1n }).map(String);
const ms = fc.integer({ min: -1e14, max: 1e14 }).map(String);
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.code === 'invalid_request';

test('a cursor leads to the position that it was made of', () => {
  fc.assert(
    fc.property(at, fc.uuid(), (time, id) => {
      assert.deepEqual(decodeCursor(encodeCursor({ at: time, id }), 'uuid'), { at: time, id });
    }),
  );
  fc.assert(
    fc.property(ms, fc.nat(), (time, number) => {
      const id = String(number);
      assert.deepEqual(decodeCursor(encodeCursor({ at: time, id }), 'number'), { at: time, id });
    }),
  );
});

test('a cursor can be part of an address as it is', () => {
  fc.assert(
    fc.property(at, fc.uuid(), (time, id) => assert.match(encodeCursor({ at: time, id }), /^[\w-]+$/)),
  );
});

test('the cursor of another list is refused', () => {
  const uuid = '0198e7a0-0000-7000-8000-000000000001';
  assert.throws(() => decodeCursor(encodeCursor({ at: '1', id: uuid }), 'number'), isRefusal);
  assert.throws(() => decodeCursor(encodeCursor({ at: '1', id: '7' }), 'uuid'), isRefusal);
});

test('a time that no date can be is refused', () => {
  for (const time of ['99999999999999999', '-8640000000000001'])
    assert.throws(() => decodeCursor(encodeCursor({ at: time, id: '7' }), 'number'), isRefusal);
});

test('any other text is refused, and never an error of the server', () => {
  const made = (text: string): string => Buffer.from(text).toString('base64url');
  const odd = [
    '',
    ' ',
    'null',
    '%',
    '../..',
    'x'.repeat(500),
    made('1'),
    made(' 7'),
    made('1 '),
    made('1 7 8'),
    made('1  7'),
    made('1.5 7'),
    made('1e3 7'),
    made('-- 7'),
    made("1 7' or 1=1"),
    made('1 -7'),
    made(`${'9'.repeat(18)} 7`),
    made(`1 ${'9'.repeat(17)}`),
    made('1\0 7'),
    `${made('1 7')}=`,
    `${made('1 7')}\n`,
    ` ${made('1 7')}`,
  ];
  for (const cursor of odd)
    assert.throws(() => decodeCursor(cursor, 'number'), isRefusal, JSON.stringify(cursor));
  fc.assert(
    fc.property(fc.string(), (cursor) => assert.throws(() => decodeCursor(cursor, 'number'), isRefusal)),
  );
});
