import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import { metricsSpan, overviewSpan, previousSpan, stepFinder, stepsOf } from './time-span.ts';

const shown = (list: readonly number[]) => list.map((at) => new Date(at).toISOString().slice(0, 16));

test('the last day of an overview in Auckland is the local one', () => {
  // Already the 21st at 01:30 there.
  const span = overviewSpan('7d', Date.parse('2026-11-20T12:30:00Z'), 'Pacific/Auckland');
  assert.deepEqual(shown([span.from, span.to]), ['2026-11-14T11:00', '2026-11-21T11:00']);
  assert.equal(shown(stepsOf(span)).at(-1), '2026-11-20T11:00');
});

test('days have 23 and 25 hours where the clock changes', () => {
  const spanOf = (from: string, to: string) =>
    stepsOf(metricsSpan({ from, to, timeZone: 'Europe/Berlin', granularity: 'day' }, 0));
  const spring = spanOf('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z');
  assert.deepEqual(shown(spring), ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00']);
  const autumn = spanOf('2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z');
  assert.deepEqual(shown(autumn), ['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00']);
});

test('days begin at the nearest hour where midnight is within one', () => {
  const dayOf = (timeZone: string) => {
    const { from, to } = metricsSpan(
      { from: '2026-11-20T12:00:00Z', to: '2026-11-20T12:00:00Z', granularity: 'day', timeZone },
      0,
    );
    return shown([from, to]);
  };
  assert.deepEqual(dayOf('Asia/Kolkata'), ['2026-11-19T19:00', '2026-11-20T19:00']);
  assert.deepEqual(dayOf('Asia/Kathmandu'), ['2026-11-19T18:00', '2026-11-20T18:00']);
});

test('periods longer than a quarter have days of UTC', () => {
  const span = metricsSpan(
    { from: '2026-01-01T00:00:00Z', to: '2026-06-01T00:00:00Z', timeZone: 'Asia/Tokyo' },
    0,
  );
  assert.deepEqual([span.timeZone, shown([span.from])], ['UTC', ['2026-01-01T00:00']]);
});

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'America/Santiago',
  'Africa/Cairo',
];

test('in every time zone the days of a span follow each other, and each hour belongs to one', () => {
  const start = Date.UTC(2024, 0, 1);
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 3 * 365 * 24 * 60 }),
      fc.integer({ min: 0, max: 90 }),
      (timeZone, minutes, days) => {
        const from = start + minutes * 60_000;
        const to = from + days * dayMs;
        const time = (at: number) => new Date(at).toISOString();
        const span = metricsSpan({ from: time(from), to: time(to), granularity: 'day', timeZone }, 0);
        assert.ok(span.from <= from && to < span.to, 'both ends are in the span');
        const steps = stepsOf(span);
        assert.equal(steps[0], span.from);
        const ends = [...steps.slice(1), span.to];
        for (const [index, step] of steps.entries()) {
          const hours = (ends[index]! - step) / hourMs;
          assert.ok([23, 24, 25].includes(hours), `${hours} hours`);
        }
        const stepOf = stepFinder(span);
        for (let hour = span.from; hour < span.to; hour += 7 * hourMs) {
          const step = stepOf(hour);
          assert.ok(step <= hour && hour < ends[steps.indexOf(step)]!);
        }
        const before = previousSpan(span);
        assert.deepEqual([before.to, stepsOf(before).length], [span.from, steps.length]);
      },
    ),
    { numRuns: 300 },
  );
});
