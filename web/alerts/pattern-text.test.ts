import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { patternsOf, patternText } from './pattern-text.ts';

const only = (...include: string[]) => ({ include, exclude: [] });

test('patterns are written as one text, with ! for exclusion', () => {
  const filter = { include: ['acme/*', 'octo/site'], exclude: ['acme/docs'] };
  assert.equal(patternText(filter), 'acme/*, octo/site, !acme/docs');
  assert.deepEqual(patternsOf(' acme/* ,octo/site,, ! acme/docs, !'), filter);
  assert.deepEqual(patternsOf(''), { include: [], exclude: [] });
});

test('every pattern survives formatting and parsing', () => {
  const pattern = fc.oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^[\\"!,() a]{1,6}$/));
  const patterns = fc.array(pattern, { maxLength: 4 });
  fc.assert(
    fc.property(patterns, patterns, (include, exclude) => {
      assert.deepEqual(patternsOf(patternText({ include, exclude })), { include, exclude });
    }),
  );
});

test('a comma in a name needs no quotes in parentheses, and quotes elsewhere', () => {
  const filter = { include: ['test (ubuntu-latest, 20)', 'lint'], exclude: ['test (windows-*, *)'] };
  const text = 'test (ubuntu-latest, 20), lint, !test (windows-*, *)';
  assert.deepEqual(patternsOf(text), filter);
  assert.equal(patternText(filter), text);
  assert.deepEqual(patternsOf('"Build, test", ! "Ship, \\"it\\""'), {
    include: ['Build, test'],
    exclude: ['Ship, "it"'],
  });
});

test('an unclosed quote or parenthesis ends at the comma, and a backslash outside quotes is literal', () => {
  assert.deepEqual(patternsOf('test (*, lint'), only('test (*', 'lint'));
  assert.deepEqual(patternsOf('"a, b'), only('"a', 'b'));
  assert.deepEqual(patternsOf('the "big" one, 2nd'), only('the "big" one', '2nd'));
  assert.deepEqual(patternsOf(String.raw`a\b, "c\d, e"`), only(String.raw`a\b`, String.raw`c\d, e`));
});
