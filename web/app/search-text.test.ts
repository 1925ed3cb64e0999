import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSearch, stringifySearch } from './search-text.ts';

test('what an address says comes back as it was', () => {
  const search = { q: '412 & "more" + ü', branch: 'release/4.12' };
  assert.deepEqual(parseSearch(stringifySearch(search)), search);
});

test('what is not set is not in the address', () => {
  assert.equal(stringifySearch({ q: undefined, job: 7 }), '?job=7');
  assert.equal(stringifySearch({ q: undefined }), '');
});
