/** One line of a log. */
export interface LogLine {
  /** In the log of the job, from 1. */
  number: number;
  /** UTC, to the second: `2026-11-20T10:00:01`. Undefined when the line has no timestamp. */
  time: string | undefined;
  /** Without timestamp, with escape sequences. */
  raw: string;
  /** Without escape sequences and hidden characters. */
  text: string;
  /** Belongs to a private key. */
  isKey: boolean;
}

const timestamp = /^\uFEFF?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d) ?/;

/** Separates the timestamp that the forge puts before each line. */
export function splitTimestamp(line: string): { time: string | undefined; raw: string } {
  if (line === '') return { time: undefined, raw: line };
  const [prefix = '', time, zone] = timestamp.exec(line) ?? [];
  const raw = line.slice(prefix.length);
  const isUtc = zone === 'Z' || time === undefined;
  return { time: isUtc ? time : toSeconds(`${time}${zone}`), raw: afterReturn(raw) };
}

/** The form of `LogLine.time`. Undefined for a text that is not a time. */
export function toSeconds(time: string): string | undefined {
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 19);
}

/** A progress bar overwrites its line after a carriage return. */
function afterReturn(text: string): string {
  return text.includes('\r') ? text.slice(text.lastIndexOf('\r') + 1) : text;
}
