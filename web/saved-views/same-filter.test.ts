import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameFilter } from './same-filter.ts';

test('filters are equal whatever the order of their properties and with undefined ones', () => {
  assert.ok(isSameFilter({ branch: 'main', q: 'x' }, { q: 'x', branch: 'main' }));
  assert.ok(isSameFilter({ branch: 'main', q: undefined } as never, { branch: 'main' }));
  assert.ok(isSameFilter({}, {}));
});

test('another value or another property makes filters different', () => {
  assert.equal(isSameFilter({ branch: 'main' }, { branch: 'next' }), false);
  assert.equal(isSameFilter({ branch: 'main' }, { branch: 'main', q: 'x' }), false);
  assert.equal(isSameFilter({ status: 'queued' }, { conclusion: 'queued' }), false);
});
