import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSearch, stringifySearch } from './search-text.ts';

test('query parameters survive writing and reading', () => {
  const search = { q: '412 & "more" + ü', branch: 'release/4.12' };
  assert.deepEqual(parseSearch(stringifySearch(search)), search);
});

test('undefined values are left out', () => {
  assert.equal(stringifySearch({ q: undefined, job: 7 }), '?job=7');
  assert.equal(stringifySearch({ q: undefined }), '');
});
