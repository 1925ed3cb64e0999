import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { storableText } from './storable-text.ts';

test('a text is stored as it is, up to its length', () => {
  assert.equal(storableText('main', 4), 'main');
  assert.equal(storableText('mains', 4), 'main');
  assert.equal(storableText(' ', 4), ' ');
  assert.equal(storableText('é\u0301\u202e\n', 10), 'é\u0301\u202e\n');
});

test('an empty text and other types are "none"', () => {
  for (const value of ['', null, undefined, 0, 7, true, {}, [], ['a'], Symbol('a'), { toString: () => 'a' }])
    assert.equal(storableText(value, 10), null);
});

test('a text replaces characters that Postgres cannot store', () => {
  assert.equal(storableText('a\0b\0', 10), 'a\ufffdb\ufffd');
  assert.equal(storableText('a\ud83db', 10), 'a\ufffdb');
  assert.equal(storableText('\ude00a', 10), '\ufffda');
});

test('a cut never halves an emoji', () => {
  assert.equal(storableText('ab😀', 4), 'ab😀');
  assert.equal(storableText('ab😀', 3), 'ab');
  assert.equal(storableText('😀', 1), '');
});

test('every stored text is well formed, without NUL and within its length', () => {
  const unit = fc.oneof(fc.integer({ min: 0xd7fe, max: 0xe001 }), fc.integer({ min: 0, max: 0x80 }));
  const text = fc.array(unit, { minLength: 1, maxLength: 12 }).map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 12 }), (value, length) => {
      const stored = storableText(value, length);
      assert.ok(
        stored !== null && stored.isWellFormed() && !stored.includes('\0') && stored.length <= length,
      );
      assert.ok(stored.length >= Math.min(value.length, length) - 1);
      assert.equal(storableText(stored, length), stored, 'storing it again changes nothing');
    }),
    { numRuns: 1000 },
  );
});
