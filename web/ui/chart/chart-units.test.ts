import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartUnits, withRoomForBars } from './chart-units.ts';

test('grid steps are whole numbers and round durations', () => {
  const { count, duration } = chartUnits;
  assert.deepEqual(count.steps.slice(0, 5), [1, 2, 5, 10, 20]);
  assert.deepEqual(duration.steps.map((step) => duration.format(step)).slice(5, 9), [
    '30s',
    '1m 00s',
    '2m 00s',
    '5m 00s',
  ]);
  for (const { steps } of [count, duration])
    assert.deepEqual(
      steps,
      steps.toSorted((a, b) => a - b),
    );
});

test('the outer bars are not clipped, also a single one', () => {
  assert.deepEqual(withRoomForBars([100, 200, 300]), [50, 350]);
  const [from, to] = withRoomForBars([7]);
  assert.ok(from < 7 && to > 7);
});
