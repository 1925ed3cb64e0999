import { dayMs } from './time-units.ts';

/** The server uses milliseconds since the epoch. The contract uses ISO 8601 in UTC with milliseconds. */

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * The usual format of forges. It matches only days that every month has, so a match is always a valid time. It excludes 1970,
 * because Gitea sends its start for "none".
 */
const usualTime =
  /^(?:197[1-9]|19[89]\d|2\d\d\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

/** The end of the year 9999, the last year with four digits. An offset can move a time past it. */
const latestTimeMs = 253_402_300_799_999;

/**
 * Reads a time of a payload. Null when it is not an ISO 8601 time with a zone, or not after the start of 1970: for "none" Go
 * sends the year 1, and Gitea 1970.
 */
export function timeMs(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  if (usualTime.test(value)) return clockMs(value) + (value.length === 24 ? Number(value.slice(20, 23)) : 0);
  const ms = value.length <= 40 && isoTime.test(value) ? Date.parse(value) : 0;
  return ms > 0 && ms <= latestTimeMs ? ms : null;
}

/** Reads a time of a payload and returns it in the format of the contract. Faster than `timeMs` and `showTime`. */
export function timeText(value: unknown): string | null {
  if (typeof value === 'string' && usualTime.test(value))
    return value.length === 24 ? value : `${value.slice(0, 19)}.000Z`;
  const ms = timeMs(value);
  return ms === null ? null : showTime(ms);
}

/** Reads a time in Postgres's ISO style: `2026-11-20 10:00:00.5+00`. */
export function storedTimeMs(text: string): number {
  if (text.length === 22 && text.endsWith('+00')) return clockMs(text);
  const iso = text.replace(' ', 'T');
  // JavaScript requires minutes in an offset.
  return Date.parse(/[+-]\d\d$/.test(iso) ? `${iso}:00` : iso);
}

/** Reads `yyyy-mm-dd?hh:mm:ss` in UTC. The text must match. Several times faster than `Date.parse`. */
function clockMs(text: string): number {
  const two = (at: number) => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * 48;
  return Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17));
}

let lastDay = Number.NaN;
let lastDayText = '';

/** Formats a time for the contract. The text of the last day is cached, because most times share it. */
export function showTime(ms: number): string;
export function showTime(ms: number | null): string | null;
export function showTime(ms: number | null): string | null {
  if (ms === null) return null;
  const day = Math.floor(ms / dayMs);
  if (day !== lastDay) {
    lastDay = day;
    lastDayText = new Date(day * dayMs).toISOString().slice(0, 11);
  }
  const rest = ms - day * dayMs;
  const seconds = Math.floor(rest / 1000);
  const [hour, minute] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${lastDayText}${digits(hour)}:${digits(minute)}:${digits(seconds % 60)}.${digits(rest % 1000, 3)}Z`;
}

function digits(number: number, length = 2): string {
  return String(number).padStart(length, '0');
}
