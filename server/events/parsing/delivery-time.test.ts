import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryTicks, ticksToMs } from './delivery-time.ts';

test('deliveryTicks reads the time of a version-1 id to 100 ns', () => {
  const ticks = deliveryTicks('c232ab00-9414-11ec-b3c8-9f68deced846', 0);
  assert.equal(new Date(ticksToMs(ticks)).toISOString(), '2022-02-22T19:22:22.000Z');
  assert.equal(deliveryTicks('c232ab01-9414-11ec-b3c8-9f68deced846', 0), ticks + 1n);
  assert.equal(deliveryTicks('C232AB00-9414-11EC-B3C8-9F68DECED846', 0), ticks);
});

test('deliveryTicks falls back to the time of receipt for other ids, on the same scale', () => {
  const receivedAt = Date.UTC(2022, 1, 22, 19, 22, 22);
  for (const id of [
    null,
    undefined,
    '',
    'c232ab00-9414-41ec-b3c8-9f68deced846',
    'c232ab00-9414-11ec',
    'x'.repeat(300),
  ]) {
    assert.equal(deliveryTicks(id, receivedAt), deliveryTicks('c232ab00-9414-11ec-b3c8-9f68deced846', 0));
  }
  assert.equal(ticksToMs(deliveryTicks(null, Number.NaN)), 0);
});
