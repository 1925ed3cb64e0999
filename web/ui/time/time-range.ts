import { dateFormat } from '../locale.ts';

const day = { month: 'short', day: 'numeric' } as const;
const minute = { ...day, hour: 'numeric', minute: '2-digit' } as const;
const year = { year: 'numeric' } as const;

const thisYear = { day: dateFormat(day), minute: dateFormat(minute) };
const anyYear = { day: dateFormat({ ...year, ...day }), minute: dateFormat({ ...year, ...minute }) };

const longMs = 2 * 86_400_000;

export interface TimeRange {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * For example `from Mar 1, 12:00 PM`, or only days for a long range; with the year when it is not this one. Undefined for
 * no limit.
 */
export function timeRangeText({ from, to }: TimeRange, now = Date.now()): string | undefined {
  const yearNow = new Date(now).getFullYear();
  const isThisYear = [from, to].every((time) => !time || new Date(time).getFullYear() === yearNow);
  const formats = isThisYear ? thisYear : anyYear;
  if (from !== undefined && to !== undefined) {
    const isLong = Date.parse(to) - Date.parse(from) >= longMs;
    return (isLong ? formats.day : formats.minute).formatRange(new Date(from), new Date(to));
  }
  if (from !== undefined) return `from ${formats.minute.format(new Date(from))}`;
  return to === undefined ? undefined : `until ${formats.minute.format(new Date(to))}`;
}

const minuteMs = 60_000;

/** The value of a `datetime-local` field, to the minute; empty for none. */
export function toLocalTime(time: string | undefined): string {
  if (time === undefined) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}

/** The time in such a field; undefined for an empty one. */
export function localTime(text: string): string | undefined {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
