import { localHour, shortDay } from '../../ui/chart/time-axis.ts';

/** Longer periods are counted by the day. */
const longestOfHoursMs = 2 * 86_400_000;

/** A period without the moment of its end, as on the axis of its charts: days or hours. */
export function periodText({ from, to }: { from: string; to: string }): string {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return end - start > longestOfHoursMs
    ? shortDay.formatRange(start, end)
    : localHour.formatRange(new Date(start), new Date(end - 1));
}
