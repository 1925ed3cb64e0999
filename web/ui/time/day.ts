import { dateFormat } from '../locale.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The start of a local day, some days after that of a time. The server counts hours, so it is the nearest one to midnight. */
export function startOfDay(time: number, days = 0): number {
  const date = new Date(time);
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
  return nearestHour(midnight.getTime());
}

/** The end of a day that begins at `start`. The server counts days of long periods in UTC. */
export function endOfDay(start: number): number {
  return isLocal(start) ? startOfDay(start + 12 * hourMs, 1) : start + dayMs;
}

function isLocal(start: number): boolean {
  // Noon of a day is in it, wherever midnight is.
  return startOfDay(start + 12 * hourMs) === start;
}

function nearestHour(time: number): number {
  return Math.round(time / hourMs) * hourMs;
}

/** Formats the day that begins at a time: a local one, or one of UTC, which it says. */
export function dayFormat(options: Parameters<typeof dateFormat>[0]) {
  const local = dateFormat(options);
  const utc = dateFormat({ ...options, timeZone: 'UTC' });
  const noonOf = (start: number): number => start + 12 * hourMs;
  return {
    format: (start: number): string =>
      isLocal(start) ? local.format(noonOf(start)) : `${utc.format(noonOf(start))} UTC`,
    /** From the day that begins at `start` to the one that ends at `end`. */
    formatRange: (start: number, end: number): string =>
      isLocal(start)
        ? local.formatRange(new Date(noonOf(start)), new Date(end - 12 * hourMs))
        : `${utc.formatRange(new Date(noonOf(start)), new Date(end - 12 * hourMs))} UTC`,
  };
}
