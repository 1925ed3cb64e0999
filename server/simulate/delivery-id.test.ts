import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createDeliveryIds } from './delivery-id.ts';

const versionOne = /^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Milliseconds since the epoch, from the 60-bit count of 100 ns since 1582-10-15 that the id starts with. */
function timeOf(id: string): number {
  const [low = '', mid = '', high = ''] = id.split('-');
  return Number(BigInt(`0x${high.slice(1)}${mid}${low}`) / 10_000n) - 12_219_292_800_000;
}

test('a delivery id is a version-1 UUID with the time of its event', () => {
  const make = createDeliveryIds('0123456789ab');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(2100, 0) }), (at) => {
      const id = make(at);
      assert.match(id, versionOne);
      assert.equal(timeOf(id), at);
    }),
  );
});

test('more than ten thousand ids of the same millisecond are unique', () => {
  const make = createDeliveryIds('0123456789ab');
  const ids = Array.from({ length: 25_000 }, () => make(1_795_000_000_000));
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => timeOf(id) === 1_795_000_000_000));
});
