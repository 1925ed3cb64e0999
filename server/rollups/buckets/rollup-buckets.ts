import type { Granularity } from '#contract/metrics.ts';
import { floor, type TimeSpan } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

/** Hours that are added up together. Each length is a multiple of the one before, and buckets start at multiples of it. */
export const bucketHours = [6, 24, 168] as const;
export const shortestBucket = bucketHours[0];
export const longestBucket = 168;
/** The longest bucket that numbers by hour or day can be read from. */
export const stepHours = { hour: 1, day: 24 } as const satisfies Record<Granularity, number>;

/** What there is of an integration's numbers. Milliseconds since the epoch. */
export interface RollupState {
  /**
   * Hours before it are settled: they stay as they are, but for dirtyHours. Of those that are, all buckets are added up. 0 when
   * nothing is.
   */
  finalizedUntil: number;
  /** Hours that have any numbers, in the span that was asked for; those that are settled may be missing. */
  openHours: readonly number[];
  /** Another one whenever a dirtyHour is mended. */
  version: number;
  /** Hours that changed after they were settled. */
  dirtyHours: ReadonlySet<number>;
}

export interface RollupBucket {
  start: number;
  hours: number;
}

/** Where the numbers of some hours are: in a bucket, or in the rows of an hour. */
export interface HourRange extends RollupBucket {
  isFinalized: boolean;
}

/** Whether nothing changes in these hours any more; if they are a bucket's, that is added up. */
export function isFinalized(
  { start, hours }: RollupBucket,
  { finalizedUntil, dirtyHours }: RollupState,
): boolean {
  const end = start + hours * hourMs;
  if (end > finalizedUntil) return false;
  for (let hour = start; hour < end; hour += hourMs) if (dirtyHours.has(hour)) return false;
  return true;
}

/** The fewest ranges that hold the numbers of a span, none longer than `longest` hours. */
export function coverSpan(
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
  state: RollupState,
  longest: number,
): HourRange[] {
  const ranges: HourRange[] = [];
  const lengths = bucketHours.filter((hours) => hours <= longest).toReversed();
  for (let start = from; start < Math.min(to, state.finalizedUntil);) {
    const fits = (hours: number) =>
      start % (hours * hourMs) === 0 && start + hours * hourMs <= to && isFinalized({ start, hours }, state);
    const hours = lengths.find(fits) ?? 1;
    ranges.push({ start, hours, isFinalized: isFinalized({ start, hours }, state) });
    start += hours * hourMs;
  }
  const open = state.openHours.filter((hour) => hour >= Math.max(from, state.finalizedUntil) && hour < to);
  return [...ranges, ...open.map((start) => ({ start, hours: 1, isFinalized: false }))];
}

/** With the start of the hour or day of the span that each range belongs to. */
export function inSteps(
  ranges: readonly HourRange[],
  { granularity }: TimeSpan,
): (HourRange & { at: number })[] {
  const stepMs = stepHours[granularity] * hourMs;
  return ranges.map((range) => ({ ...range, at: floor(range.start, stepMs) }));
}

/** The start of the longest bucket that holds a time. */
export function alignedStart(ms: number): number {
  return floor(ms, longestBucket * hourMs);
}
