import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import * as fc from 'fast-check';
import { mostSnoozeDays } from '#contract/alerts/incidents.ts';
import { snoozeChoices } from './snooze-choices.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const untilOf = (label: string, now: string): string => {
  const choice = snoozeChoices.find((one) => one.label === label);
  assert.ok(choice, label);
  return choice.until(new Date(now)).toISOString();
};
const zones = [
  'UTC',
  'America/Los_Angeles',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

test('hours are hours, also across a change of the clocks', () => {
  process.env['TZ'] = 'Europe/Berlin';
  assert.equal(untilOf('For 1 hour', '2026-03-29T00:30:00Z'), '2026-03-29T01:30:00.000Z');
  assert.equal(untilOf('For 4 hours', '2026-10-24T23:30:00Z'), '2026-10-25T03:30:00.000Z');
});

test('tomorrow morning is nine of the clock of the person', () => {
  process.env['TZ'] = 'America/Los_Angeles';
  assert.equal(untilOf('Until tomorrow morning', '2026-11-20T02:00:00Z'), '2026-11-20T17:00:00.000Z');
  process.env['TZ'] = 'Asia/Kathmandu';
  assert.equal(untilOf('Until tomorrow morning', '2026-11-20T02:00:00Z'), '2026-11-21T03:15:00.000Z');
});

test('a morning after a change of the clocks is at nine too', () => {
  process.env['TZ'] = 'Europe/Berlin';
  assert.equal(untilOf('Until tomorrow morning', '2026-03-28T12:00:00Z'), '2026-03-29T07:00:00.000Z');
  assert.equal(untilOf('Until tomorrow morning', '2026-10-24T12:00:00Z'), '2026-10-25T08:00:00.000Z');
  assert.equal(untilOf('For a week', '2026-10-20T12:00:00Z'), '2026-10-27T08:00:00.000Z');
});

test('a week ends in the next month or year', () => {
  process.env['TZ'] = 'UTC';
  assert.equal(untilOf('For a week', '2026-12-28T23:59:00Z'), '2027-01-04T09:00:00.000Z');
  assert.equal(untilOf('For a week', '2028-02-25T00:00:00Z'), '2028-03-03T09:00:00.000Z');
});

test('each choice ends in the future and within the longest snooze, at any time in any zone', () => {
  const moment = fc.date({ min: new Date('2024-01-01'), max: new Date('2032-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(moment, fc.constantFrom(...zones), (now, inZone) => {
      process.env['TZ'] = inZone;
      for (const { label, until } of snoozeChoices) {
        const hours = (until(now).getTime() - now.getTime()) / 3_600_000;
        assert.ok(
          hours >= 1 && hours < mostSnoozeDays * 24,
          `${label} from ${now.toISOString()} in ${inZone}`,
        );
      }
    }),
  );
});

test('the choices have different names and come in order of their length', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const ends = snoozeChoices.map(({ until }) => until(now).getTime());
  assert.deepEqual(
    ends,
    ends.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(snoozeChoices.map(({ label }) => label)).size, snoozeChoices.length);
});
