import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRunSearch } from './run-search.ts';

test('an address contains the filters of the list', () => {
  const search = {
    branch: 'main',
    conclusion: 'failure',
    q: '412',
    pullRequest: '7',
    from: '2026-11-20T12:00:00Z',
  };
  assert.deepEqual(readRunSearch(search), {
    branch: 'main',
    conclusion: 'failure',
    q: '412',
    pullRequest: 7,
    from: '2026-11-20T12:00:00.000Z',
  });
});

test('unknown and invalid filters are dropped', () => {
  const search = {
    branch: '',
    actor: 'x'.repeat(1001),
    q: 'x'.repeat(256),
    pullRequest: '-1',
    from: 'yesterday',
    to: {},
    other: 'x',
  };
  assert.deepEqual(readRunSearch(search), {});
});
