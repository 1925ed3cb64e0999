import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameFilter } from './same-filter.ts';

test('two filters are the same whatever the order of their properties, and whether or not one is named that is not set', () => {
  assert.ok(isSameFilter({ branch: 'main', q: 'x' }, { q: 'x', branch: 'main' }));
  assert.ok(isSameFilter({ branch: 'main', q: undefined } as never, { branch: 'main' }));
  assert.ok(isSameFilter({}, {}));
});

test('another value, and one property more, make another filter', () => {
  assert.equal(isSameFilter({ branch: 'main' }, { branch: 'next' }), false);
  assert.equal(isSameFilter({ branch: 'main' }, { branch: 'main', q: 'x' }), false);
  assert.equal(isSameFilter({ status: 'queued' }, { conclusion: 'queued' }), false);
});
