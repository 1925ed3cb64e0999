import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { joinValues, splitValues } from './value-list.ts';

test('every list of values survives a round trip through a query', () => {
  const value = fc.oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^[\\,a]{1,5}$/));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (values) => {
      assert.deepEqual(splitValues(joinValues(values)), values);
    }),
  );
});

test('values typed by hand are read as meant', () => {
  assert.deepEqual(splitValues('main,release/1'), ['main', 'release/1']);
  assert.deepEqual(splitValues(String.raw`lint\, test,build`), ['lint, test', 'build']);
  assert.deepEqual(splitValues(String.raw`a\b`), [String.raw`a\b`]);
  assert.deepEqual(splitValues(',,'), []);
});
