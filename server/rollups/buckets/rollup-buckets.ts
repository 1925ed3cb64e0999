import type { Granularity } from '#contract/metrics.ts';
import { floor, type TimeSpan } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

/** Lengths of buckets in hours. Each is a multiple of the previous one, and a bucket starts at a multiple of its length. */
export const bucketHours = [6, 24, 168] as const;
export const shortestBucket = bucketHours[0];
export const longestBucket = 168;
/** The longest bucket that fits into one point of a series. */
export const stepHours = { hour: 1, day: 24 } as const satisfies Record<Granularity, number>;

/** Which of an integration's numbers are finalized. Milliseconds since the epoch. */
export interface RollupState {
  /** Hours before this time are finalized, and all buckets of these hours exist. 0 when no hour is finalized. */
  finalizedUntil: number;
  /** Hours with numbers in the requested span. Finalized hours may be missing. */
  openHours: readonly number[];
  /** Incremented each time a dirty hour is recomputed. */
  version: number;
  /** Hours that changed after they were finalized. Their buckets are recomputed. */
  dirtyHours: ReadonlySet<number>;
}

export interface RollupBucket {
  start: number;
  hours: number;
}

/** Consecutive hours whose numbers are read together: from one bucket, or from the rows of one hour. */
export interface HourRange extends RollupBucket {
  isFinalized: boolean;
}

/** Whether these hours are finalized and not dirty. If so, the bucket that consists of them is up to date. */
export function isFinalized(
  { start, hours }: RollupBucket,
  { finalizedUntil, dirtyHours }: RollupState,
): boolean {
  const end = start + hours * hourMs;
  if (end > finalizedUntil) return false;
  for (let hour = start; hour < end; hour += hourMs) if (dirtyHours.has(hour)) return false;
  return true;
}

/** The fewest ranges that cover the numbers of a span. None is longer than `longest` hours. */
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

/** Adds to each range the start of the hour or day that it belongs to. */
export function inSteps(
  ranges: readonly HourRange[],
  { granularity }: TimeSpan,
): (HourRange & { at: number })[] {
  const stepMs = stepHours[granularity] * hourMs;
  return ranges.map((range) => ({ ...range, at: floor(range.start, stepMs) }));
}

/** The start of the longest bucket that contains a time. */
export function alignedStart(ms: number): number {
  return floor(ms, longestBucket * hourMs);
}
