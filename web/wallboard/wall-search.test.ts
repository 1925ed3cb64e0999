import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWallSearch, secretOf } from './wall-search.ts';

test('an address keeps filters that the server accepts', () => {
  assert.deepEqual(readWallSearch({ repository: 'acme/site,acme/shop', workflow: 7 }), {
    repository: 'acme/site,acme/shop',
    workflow: '7',
  });
  for (const value of ['', 'x'.repeat(1001), ['a'], {}, null, true])
    assert.deepEqual(readWallSearch({ repository: value }), {}, String(value));
});

test('only a complete secret is sent, and an address without one is no share link', () => {
  const secret = 'aZ0_-'.repeat(9).slice(0, 43);
  assert.equal(secretOf(`#${secret}`), secret);
  for (const hash of [`#${secret}x`, `#${secret.slice(1)}`, `#${secret.slice(1)}%`])
    assert.equal(secretOf(hash), '', hash);
  for (const hash of ['', '#']) assert.equal(secretOf(hash), undefined, hash);
});
