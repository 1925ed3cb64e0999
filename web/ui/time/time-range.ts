import { dateFormat } from '../locale.ts';
const day = dateFormat({ month: 'short', day: 'numeric' });
const minute = dateFormat({
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const longMs = 2 * 86_400_000;

export interface TimeRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** For example `from Mar 1, 12:00 PM`, or only days for a long range; undefined for no limit. */
export function timeRangeText({ from, to }: TimeRange): string | undefined {
  if (from !== undefined && to !== undefined) {
    const isLong = Date.parse(to) - Date.parse(from) >= longMs;
    return (isLong ? day : minute).formatRange(new Date(from), new Date(to));
  }
  if (from !== undefined) return `from ${minute.format(new Date(from))}`;
  return to === undefined ? undefined : `until ${minute.format(new Date(to))}`;
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
