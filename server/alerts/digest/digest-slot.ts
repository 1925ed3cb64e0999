import { digestDays, type RuleBody } from '#contract/alerts/alerts.ts';

export type Slot = Pick<RuleBody, 'digestDay' | 'digestHour' | 'timeZone'>;

/**
 * The last time at or before `now` at which a digest is due, and the next one, in milliseconds since the epoch. An hour that the clock
 * skips is the one after it.
 */
export function digestSlots(
  { digestDay, digestHour, timeZone }: Slot,
  now: number,
): { last: number; next: number } {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const daysAgo = (local.dayOfWeek - 1 - digestDays.indexOf(digestDay) + 7) % 7;
  const day = local.toPlainDate().subtract({ days: daysAgo });
  const at = (weeks: number): number =>
    day.add({ days: weeks * 7 }).toZonedDateTime({ timeZone, plainTime: { hour: digestHour } })
      .epochMilliseconds;
  return at(0) <= now ? { last: at(0), next: at(1) } : { last: at(-1), next: at(0) };
}
