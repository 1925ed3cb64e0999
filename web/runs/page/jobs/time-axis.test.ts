import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, placeOn, ticksOf } from './time-axis.ts';
import * as fc from 'fast-check';

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

const now = Date.UTC(2026, 10, 20, 12);
const time = fc.option(
  fc.integer({ min: now - 90 * 86_400_000, max: now + 60_000 }).map((ms) => new Date(ms).toISOString()),
);
/** Times of forges come from several clocks, so that an end can precede its start. */
const span = fc.record({ createdAt: time, startedAt: time, completedAt: time });
const spans = fc.array(span, { maxLength: 20 });

test('whatever a forge reports, each bar lies on the axis', () => {
  fc.assert(
    fc.property(spans, (all) => {
      const axis = axisOf(all, now);
      if (axis === undefined) return;
      assert.ok(axis.to > axis.from);
      for (const { createdAt, startedAt, completedAt } of all)
        for (const [start, end] of [
          [createdAt, startedAt ?? now],
          [startedAt, completedAt ?? now],
        ] as const) {
          const place = placeOn(axis, start, end);
          if (place === undefined) continue;
          assert.ok(place.left >= 0 && place.width >= 0);
          assert.ok(place.left + place.width <= 100 + 1e-9);
        }
    }),
  );
});

test('an axis without any begun job does not exist', () => {
  const notBegun = fc.record({
    createdAt: fc.constant(null),
    startedAt: fc.constant(null),
    completedAt: time,
  });
  fc.assert(
    fc.property(fc.array(notBegun), (all) => {
      assert.equal(axisOf(all, now), undefined);
    }),
  );
});

test('an axis covers at least a second, so that a bar has a width', () => {
  const at = new Date(now).toISOString();
  assert.deepEqual(axisOf([{ createdAt: at, startedAt: at, completedAt: at }], now), {
    from: now,
    to: now + 1000,
  });
});

test('ticks are few, ascending, equally far apart and on the axis', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 400 * 86_400_000 }), (length) => {
      const ticks = ticksOf({ from: 0, to: length });
      assert.ok(ticks.length >= 1 && ticks.length <= 7, `${ticks.length} ticks`);
      const step = ticks[1] ?? 0;
      for (const [index, tick] of ticks.entries()) {
        assert.equal(tick, index * step);
        assert.ok(tick <= length);
      }
    }),
  );
});

test('a run with thousands of jobs has an axis', () => {
  const at = new Date(now).toISOString();
  const many = Array.from({ length: 50_000 }, () => ({ createdAt: at, startedAt: at, completedAt: null }));
  assert.equal(axisOf(many, now + 5000)?.to, now + 5000);
});
