import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import type { TimeSpan } from '../time-span.ts';

/** Which of an integration's numbers are finalized. Milliseconds since the epoch. */
export interface RollupState {
  /** Hours before this time are finalized. 0 when no hour is finalized. */
  finalizedUntil: number;
  /** Incremented with each change of a finalized hour. */
  version: number;
  /** Days whose rows in `daily_rollups` are missing or out of date. */
  dirtyDays: ReadonlySet<number>;
  /** The first hour with numbers of runs. Infinity without any. */
  firstHour: number;
  /** Hours with numbers that are not finalized. */
  openHours: readonly number[];
}

/** The rows to read: days from `daily_rollups`, hours from `hourly_rollups`. */
export interface Cover {
  days: number[];
  hours: number[];
}

/** The days and hours whose rows together are the finalized numbers of a span. `usesDays` is false for numbers by hour. */
export function coverFinalized(
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
  { finalizedUntil, dirtyDays }: RollupState,
  usesDays: boolean,
): Cover {
  const cover: Cover = { days: [], hours: [] };
  const end = Math.min(to, finalizedUntil);
  for (let start = from; start < end;) {
    const isDay = usesDays && start % dayMs === 0 && start + dayMs <= end && !dirtyDays.has(start);
    (isDay ? cover.days : cover.hours).push(start);
    start += isDay ? dayMs : hourMs;
  }
  return cover;
}

/** The hours of a span that are not finalized. */
export function coverOpen({ from, to }: Pick<TimeSpan, 'from' | 'to'>, { openHours }: RollupState): Cover {
  return { days: [], hours: openHours.filter((hour) => hour >= from && hour < to) };
}
