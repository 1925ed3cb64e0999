import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDeliverySearch } from './delivery-search.ts';

test('valid values of an address are kept and others are dropped', () => {
  const guid = '72d3162e-cc78-11e3-81ab-4c9367dc0958';
  const kept = { q: '72d3162e', event: 'ping', verdict: 'refused', open: guid };
  const from = '2026-03-01T12:00:00.000Z';
  assert.deepEqual(readDeliverySearch({ ...kept, from: '2026-03-01T13:00:00+01:00' }), { ...kept, from });
  assert.deepEqual(readDeliverySearch({ open: 42, q: 7 }), { open: '42', q: '7' });
  const wrong = {
    q: 'two words',
    event: 'push',
    verdict: 'good',
    from: 'now',
    to: '9999-12-31T00:00:00Z',
    x: 1,
  };
  assert.deepEqual(readDeliverySearch(wrong), {});
  assert.deepEqual(readDeliverySearch({ q: '', open: 'x'.repeat(201), from: '2026-99-01T00:00:00Z' }), {});
});
