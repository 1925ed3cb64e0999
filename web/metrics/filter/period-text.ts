import { localHour, utcDay } from '../../ui/chart/time-axis.ts';

/** Longer periods are counted by the day. */
const longestOfHoursMs = 2 * 86_400_000;

/** A period without the moment of its end, as on the axis of its charts: days in UTC, or local hours. */
export function periodText({ from, to }: { from: string; to: string }): string {
  const format = Date.parse(to) - Date.parse(from) > longestOfHoursMs ? utcDay : localHour;
  return format.formatRange(new Date(from), new Date(Date.parse(to) - 1));
}
