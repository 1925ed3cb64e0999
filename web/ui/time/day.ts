import { dateFormat } from '../locale.ts';

const hourMs = 3_600_000;
const halfDayMs = 12 * hourMs;

/** The start of a local day, some days after that of a time. The server counts hours, so it is the nearest one to midnight. */
export function startOfDay(time: number, days = 0): number {
  const date = new Date(time);
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
  return nearestHour(midnight.getTime());
}

/** The end of a day that begins at `start`. The server counts days of long periods in UTC. */
export function endOfDay(start: number): number {
  return isLocal(start) ? startOfDay(start + halfDayMs, 1) : start + 2 * halfDayMs;
}

function isLocal(start: number): boolean {
  // Noon of a day is in it, wherever midnight is.
  return startOfDay(start + halfDayMs) === start;
}

function nearestHour(time: number): number {
  return Math.round(time / hourMs) * hourMs;
}

/** Formats the days between two times, or the one that begins at a time: local ones, or days of UTC, which it says. */
export function dayFormat(options: Parameters<typeof dateFormat>[0]) {
  const local = dateFormat(options);
  const utc = dateFormat({ ...options, timeZone: 'UTC' });
  const formatRange = (start: number, end: number): string => {
    const noons = [new Date(start + halfDayMs), new Date(end - halfDayMs)] as const;
    return isLocal(start) ? local.formatRange(...noons) : `${utc.formatRange(...noons)} UTC`;
  };
  return { format: (start: number): string => formatRange(start, start + 2 * halfDayMs), formatRange };
}
