import { localHour, shortDay } from '../../ui/chart/time-axis.ts';
import { dateFormat } from '../../ui/locale.ts';
import { dayFormat } from '../../ui/time/day.ts';

const thisYear = { day: shortDay, hour: localHour };
const anyYear = {
  day: dayFormat({ day: 'numeric', month: 'short', year: 'numeric' }),
  hour: dateFormat({ day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' }),
};

/** Longer periods are counted by the day. */
const longestOfHoursMs = 2 * 86_400_000;

/** A period without the moment of its end, as on the axis of its charts: days or hours; with the year when it is not this one. */
export function periodText({ from, to }: { from: string; to: string }, now = Date.now()): string {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const yearNow = new Date(now).getFullYear();
  const formats = [start, end - 1].every((time) => new Date(time).getFullYear() === yearNow)
    ? thisYear
    : anyYear;
  return end - start > longestOfHoursMs
    ? formats.day.formatRange(start, end)
    : formats.hour.formatRange(new Date(start), new Date(end - 1));
}
