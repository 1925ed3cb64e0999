import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { indentJson } from './indent-json.ts';

test('whatever JSON it is, it is indented as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(indentJson(JSON.stringify(value), Infinity), JSON.stringify(value, null, 2));
    }),
  );
});

test('it ends soon after what is wanted of it, however deep it is nested', () => {
  const [depth, most] = [3000, 100_000];
  const deep = `${'['.repeat(depth)}${'1,'.repeat(100_000)}1${']'.repeat(depth)}`;
  const indented = indentJson(deep, most);
  assert.ok(indented.length > most && indented.length <= most + 2 * depth + 2);
});
