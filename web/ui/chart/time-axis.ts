import type { Granularity } from '#contract/metrics/metrics.ts';
import { dateFormat } from '../locale.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** Steps of the axis in seconds, never shorter than a bar. */
export const axisSteps: Record<Granularity, number[]> = {
  hour: [1, 2, 3, 6, 12, 24, 48].map((count) => count * hourSeconds),
  day: [1, 2, 7, 14, 28, 91, 182].map((count) => count * daySeconds),
};

const clock = dateFormat({ hour: '2-digit', minute: '2-digit' });
const localDay = dateFormat({ day: 'numeric', month: 'short' });
export const localHour = dateFormat({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
/** The server counts days in UTC. */
export const utcDay = dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The labels of ticks in seconds: days, or hours with the day where it begins. */
export function axisLabels(ticks: readonly number[], granularity: Granularity): string[] {
  const dates = ticks.map((tick) => new Date(tick * 1000));
  if (granularity === 'day') return dates.map((date) => utcDay.format(date));
  return dates.map((date) =>
    date.getHours() === 0 && date.getMinutes() === 0 ? localDay.format(date) : clock.format(date),
  );
}

/** A step in the time zone of the axis, short enough for the line of the legend. */
export function stepText(time: number, granularity: Granularity): string {
  return (granularity === 'day' ? utcDay : localHour).format(time);
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
  last: number,
  granularity: Granularity,
): { from: number; to: number } {
  const [from, to] = [Math.min(first, last), Math.max(first, last)];
  const step = (granularity === 'day' ? daySeconds : hourSeconds) * 1000;
  return { from: times[from] ?? 0, to: (times[to] ?? 0) + step };
}
