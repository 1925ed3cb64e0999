import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { digestDays } from '#contract/alerts/alerts.ts';
import { hourMs, dayMs } from '#platform/runtime/time-units.ts';
import { digestSlots } from './digest-tasks.ts';

const monday = (timeZone: string, digestHour = 9) => ({ digestDay: 'monday', digestHour, timeZone }) as const;
const slotsAt = (slot: ReturnType<typeof monday>, now: string): string[] =>
  Object.values(digestSlots(slot, Date.parse(now))).map((at) => new Date(at).toISOString());

test('a digest is due at its hour in its time zone', () => {
  const berlin = monday('Europe/Berlin');
  assert.deepEqual(slotsAt(berlin, '2026-11-23T08:00:00Z'), [
    '2026-11-23T08:00:00.000Z',
    '2026-11-30T08:00:00.000Z',
  ]);
  assert.deepEqual(slotsAt(berlin, '2026-11-23T07:59:59Z'), [
    '2026-11-16T08:00:00.000Z',
    '2026-11-23T08:00:00.000Z',
  ]);
});

test('the hour stays when the clock changes, and one that it skips is the next', () => {
  assert.deepEqual(slotsAt(monday('Europe/Berlin'), '2026-10-20T12:00:00Z'), [
    '2026-10-19T07:00:00.000Z',
    '2026-10-26T08:00:00.000Z',
  ]);
  const sunday = { digestDay: 'sunday', digestHour: 2, timeZone: 'Europe/Berlin' } as const;
  assert.equal(
    digestSlots(sunday, Date.parse('2026-03-29T12:00:00Z')).last,
    Date.parse('2026-03-29T01:00:00Z'),
  );
});

test('slots surround the time, a week apart, in every zone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...digestDays),
      fc.integer({ min: 0, max: 23 }),
      fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia', 'Australia/Lord_Howe'),
      fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
      (digestDay, digestHour, timeZone, now) => {
        const { last, next } = digestSlots({ digestDay, digestHour, timeZone }, now);
        assert.ok(last <= now && now < next);
        assert.ok(Math.abs(next - last - 7 * dayMs) <= hourMs);
      },
    ),
  );
});
