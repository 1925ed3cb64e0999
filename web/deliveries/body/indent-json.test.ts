import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { indentJson } from './indent-json.ts';

test('JSON is indented like JSON.stringify, whatever its indentation was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      assert.equal(indentJson(JSON.stringify(value, null, indent)), JSON.stringify(value, null, 2));
    }),
  );
});

test('numbers and fields stay as received, and truncated text is indented up to its end', () => {
  const received = '{"2":12345678901234567890,"1":1.0,"1":[1e3,"cut o';
  assert.equal(
    indentJson(received),
    '{\n  "2": 12345678901234567890,\n  "1": 1.0,\n  "1": [\n    1e3,\n    "cut o',
  );
});

test('text that would become too long and text that is not JSON return unchanged and fast', () => {
  for (const deep of ['['.repeat(131_072), `${'['.repeat(3000)}${'1,'.repeat(100_000)}`])
    assert.equal(indentJson(deep), deep);
  for (const odd of ['', 'no json at all'.replaceAll(' ', ''), ']]}}', '"open'])
    assert.equal(indentJson(odd).replaceAll(/\s/g, ''), odd);
});
