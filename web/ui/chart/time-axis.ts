import type { Granularity } from '#contract/metrics/metrics.ts';
import { dateFormat } from '../locale.ts';
import { dayFormat, endOfDay } from '../time/day.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** Steps of the axis in seconds, never shorter than a bar. */
export const axisSteps: Record<Granularity, number[]> = {
  hour: [1, 2, 3, 6, 12, 24, 48].map((count) => count * hourSeconds),
  day: [1, 2, 7, 14, 28, 91, 182].map((count) => count * daySeconds),
};

const clock = dateFormat({ hour: 'numeric', minute: '2-digit' });
const localDay = dateFormat({ day: 'numeric', month: 'short' });
export const localHour = dateFormat({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
export const shortDay = dayFormat({ day: 'numeric', month: 'short' });

/** The labels of ticks in seconds: days, or hours with the day where it begins. */
export function axisLabels(ticks: readonly number[], granularity: Granularity): string[] {
  if (granularity === 'day') return ticks.map((tick) => shortDay.format(tick * 1000));
  return ticks
    .map((tick) => new Date(tick * 1000))
    .map((date) =>
      date.getHours() === 0 && date.getMinutes() === 0 ? localDay.format(date) : clock.format(date),
    );
}

/** A step, short enough for the line of the legend. */
export function stepText(time: number, granularity: Granularity): string {
  return granularity === 'day' ? shortDay.format(time) : localHour.format(time);
}

/** The ticks of the axis of days: every `step`, counted back from the last day. */
export function dayTicks(times: readonly number[], step: number): number[] {
  const every = Math.max(1, Math.round(step / daySeconds));
  return times.filter((_, index) => (times.length - 1 - index) % every === 0);
}

/** The first step with a failure, unless the range begins with one: then the failures may be older. */
export function firstFailure(
  series: readonly { failed: number }[],
): { step: number; text: string } | undefined {
  const step = series.findIndex(({ failed }) => failed > 0);
  return step > 0 ? { step, text: 'First failure' } : undefined;
}

/** The span of the steps `first` to `last`, in milliseconds. `to` is the end of the last one. */
export function spanOfSteps(
  times: readonly number[],
  first: number,
  end: number,
  granularity: Granularity,
): { from: number; to: number } {
  const [from, to] = [Math.min(first, end), Math.max(first, end)];
  const last = times[to] ?? 0;
  return {
    from: times[from] ?? 0,
    to: granularity === 'day' ? endOfDay(last) : last + hourSeconds * 1000,
  };
}
