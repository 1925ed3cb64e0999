import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { clip } from './clip.ts';

test('a short text stays as it is, a longer one ends with an ellipsis', () => {
  assert.equal(clip('', 3), '');
  assert.equal(clip('abc', 3), 'abc');
  assert.equal(clip('abcd', 3), 'abc…');
  assert.equal(clip('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(clip('x'.repeat(201)), `${'x'.repeat(200)}…`);
});

test('an emoji at the end is kept or left out, never halved', () => {
  assert.equal(clip('ab😀', 4), 'ab😀');
  assert.equal(clip('ab😀c', 4), 'ab😀…');
  assert.equal(clip('ab😀c', 3), 'ab…');
  assert.equal(clip('😀😀', 1), '…');
});

const character = fc.constantFrom('a', ' ', 'é', 'e\u0301', '😀', '👩‍👩‍👧', '\u202e', '日');

test('a clipped text is well formed, short and the start of the whole text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: character, maxLength: 30 }),
      fc.integer({ min: 1, max: 20 }),
      (text, length) => {
        const shown = clip(text, length);
        assert.ok(shown.isWellFormed());
        assert.ok(shown.length <= length + 1);
        assert.ok(shown === text || text.startsWith(shown.slice(0, -1)));
      },
    ),
  );
});

test('a text of many megabytes is clipped at once', () => {
  assert.equal(clip('\u{1f600}'.repeat(4_000_000), 5), '😀😀…');
});
