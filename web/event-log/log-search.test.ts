import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLogSearch } from './log-search.ts';

test('valid values of an address are kept and others are dropped', () => {
  assert.deepEqual(readLogSearch({ q: 'ann', type: 'member', severity: 'error', unread: true }), {
    q: 'ann',
    type: 'member',
    severity: 'error',
    unread: true,
  });
  const open = '0191d1f0-7a3c-7c3e-9a40-3f1b8a2c4d5e';
  assert.deepEqual(readLogSearch({ open }), { open });
  assert.deepEqual(readLogSearch({ open: `${open}/..` }), {});
  assert.deepEqual(readLogSearch({ q: 42 }), { q: '42' });
  const wrong = { q: '', type: 'constructor', severity: 'fatal', unread: 'yes', other: 1 };
  assert.deepEqual(readLogSearch(wrong), {});
  assert.deepEqual(readLogSearch({ q: 'x'.repeat(256), type: ['member'] }), {});
});
