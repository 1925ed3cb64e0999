import assert from 'node:assert/strict';
import { test } from 'node:test';

// Must run before the formatters are created.
process.env['TZ'] = 'America/Los_Angeles';
const { axisLabels, dayTicks, spanOfSteps, stepText } = await import('./time-axis.ts');

const day = 86_400;
const start = Date.parse('2026-11-16T08:00:00Z') / 1000;
const days = Array.from({ length: 7 }, (_, index) => start + index * day);

test('ticks of days are days with a bar, and are labelled with their day', () => {
  assert.deepEqual(dayTicks(days, 2 * day), [days[0], days[2], days[4], days[6]]);
  assert.deepEqual(dayTicks(days, 7 * day), [days[6]]);
  const labels = axisLabels(days, 'day');
  assert.match(labels[0]!, /16/);
  assert.doesNotMatch(labels.join(' '), /:|AM|PM/i);
});

test('labels of hours name the day where it begins in local time', () => {
  const midnight = Date.parse('2026-11-16T08:00:00Z') / 1000;
  const [first, second] = axisLabels([midnight, midnight + 3600], 'hour');
  assert.match(first!, /16/);
  assert.match(second!, /1:00|01:00/);
});

test('a step has its local hour or day, or the day of UTC that it is', () => {
  const midnight = Date.parse('2026-11-16T00:00:00Z');
  assert.match(stepText(midnight, 'hour'), /15.*(4:00|04:00|16:00)/);
  assert.match(stepText(midnight, 'day'), /16.* UTC$/);
  assert.match(stepText(midnight + 8 * 3_600_000, 'day'), /16$/);
  assert.doesNotMatch(stepText(midnight, 'day'), /:/);
});

test('the last day of a chart ends at midnight, also when it has 25 hours', () => {
  const first = Date.parse('2026-11-01T07:00:00Z');
  assert.deepEqual(spanOfSteps([first], 0, 0, 'day'), { from: first, to: first + 25 * 3_600_000 });
});

test('a range of steps begins with the first and ends with the end of the last, in either direction', () => {
  const times = days.map((seconds) => seconds * 1000);
  const expected = { from: times[1], to: times[4]! + day * 1000 };
  assert.deepEqual(spanOfSteps(times, 1, 4, 'day'), expected);
  assert.deepEqual(spanOfSteps(times, 4, 1, 'day'), expected);
});
