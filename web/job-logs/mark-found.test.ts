import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { markFound } from './mark-found.ts';

test('a found text is marked in any case, also across colours', () => {
  const spans = markFound(
    [{ text: 'Not ', colour: 'red' }, { text: 'found, not fou' }, { text: 'nd' }],
    'FOUND',
  );
  assert.deepEqual(
    spans.map(({ text, isFound }) => (isFound ? `<${text}>` : text)),
    ['Not ', '<found>', ', not ', '<fou>', '<nd>'],
  );
  assert.equal(spans[0]?.colour, 'red');
});

test('marking keeps the text, whatever is searched', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'İ', ' '), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(word), word, (texts, q) => {
      const marked = markFound(
        texts.map((text) => ({ text })),
        q,
      );
      assert.equal(marked.map(({ text }) => text).join(''), texts.join(''));
      for (const { text, isFound } of marked)
        if (isFound) assert.ok(q.toLowerCase().includes(text.toLowerCase()));
    }),
  );
});
