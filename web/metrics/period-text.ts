import { dateFormat } from '../ui/locale.ts';

/** The server counts days in UTC. */
const days = dateFormat({ month: 'short', day: 'numeric', timeZone: 'UTC' });
const hours = dateFormat({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
/** Longer periods are counted by the day. */
const longestOfHoursMs = 2 * 86_400_000;

/** A period without the moment of its end: the days that the charts show, or local hours. */
export function periodText({ from, to }: { from: string; to: string }): string {
  const format = Date.parse(to) - Date.parse(from) > longestOfHoursMs ? days : hours;
  return format.formatRange(new Date(from), new Date(Date.parse(to) - 1));
}
