import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, placeOn, ticksOf } from './time-axis.ts';

const at = (second: number): string => new Date(second * 1000).toISOString();
const from = 0;

test('the axis covers all started spans, and open ones until now', () => {
  const over = { createdAt: at(10), startedAt: at(20), completedAt: at(50) };
  const running = { createdAt: null, startedAt: at(30), completedAt: null };
  const notBegun = { createdAt: null, startedAt: null, completedAt: null };
  assert.deepEqual(axisOf([over, notBegun], 90_000), { from: 10_000, to: 50_000 });
  assert.deepEqual(axisOf([over, running], 90_000), { from: 10_000, to: 90_000 });
  assert.equal(axisOf([notBegun], 90_000), undefined);
});

test('a span has its position in percent and stays on the axis', () => {
  const axis = { from, to: 100_000 };
  assert.deepEqual(placeOn(axis, at(25), at(75)), { left: 25, width: 50 });
  assert.deepEqual(placeOn(axis, at(50), 75_000), { left: 50, width: 25 });
  assert.deepEqual(placeOn(axis, at(-10), at(500)), { left: 0, width: 100 });
  assert.deepEqual(placeOn(axis, at(60), at(50)), { left: 60, width: 0 });
  assert.equal(placeOn(axis, null, at(5)), undefined);
});

test('ticks are round and at most seven, from seconds to weeks', () => {
  for (const seconds of [1, 3, 9, 47, 61, 600, 3599, 40_000, 90_000, 2_000_000]) {
    const ticks = ticksOf({ from, to: seconds * 1000 });
    assert.ok(ticks.length <= 7, `${ticks.length} ticks for ${seconds} s`);
    assert.equal(ticks[0], 0);
  }
  assert.deepEqual(ticksOf({ from, to: 47_000 }), [0, 10_000, 20_000, 30_000, 40_000]);
});
