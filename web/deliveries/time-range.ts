const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Such as `from Mar 1, 2026, 12:00 PM`; undefined for no limit. */
export function timeRangeText({
  from,
  to,
}: {
  from?: string | undefined;
  to?: string | undefined;
}): string | undefined {
  if (from !== undefined && to !== undefined) return format.formatRange(new Date(from), new Date(to));
  if (from !== undefined) return `from ${format.format(new Date(from))}`;
  return to === undefined ? undefined : `until ${format.format(new Date(to))}`;
}

const minuteMs = 60_000;

/** A time as a field for local times holds it, to the minute; empty for none. */
export function toLocalTime(time: string | undefined): string {
  if (time === undefined) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}

/** The time that such a field holds; undefined for an empty one. */
export function localTime(text: string): string | undefined {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
