import { plainText } from './plain-text.ts';

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

export type ReadLine = Pick<LogLine, 'time' | 'raw' | 'text'>;

/** What a text says line by line. Escape sequences and hidden characters are removed from all of it at once. */
export function linesOf(text: string): ReadLine[] {
  const whole = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
  const lines = whole.split('\n');
  if (whole.includes('\r')) return lines.map(readLine);
  const plain = plainText(whole);
  if (plain === whole) return lines.map((line) => readPlainLine(line, line));
  const plainLines = plain.split('\n');
  return lines.map((line, index) => readPlainLine(line, plainLines[index] ?? ''));
}

function readPlainLine(line: string, plain: string): ReadLine {
  const { time, length } = timestampOf(line);
  // The byte order mark is a hidden character.
  const at = line.charCodeAt(0) === byteOrderMark && length > 0 ? length - 1 : length;
  return { time, raw: line.slice(length), text: plain.slice(at) };
}

function readLine(line: string): ReadLine {
  const { time, length } = timestampOf(line);
  const raw = afterReturn(line.slice(length));
  return { time, raw, text: plainText(raw) };
}

const byteOrderMark = 0xfeff;
const timestamp = /^\uFEFF?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d) ?/;

/** What the forge puts before each line. */
function timestampOf(line: string): { time: string | undefined; length: number } {
  const found = timestamp.exec(line);
  if (found === null) return { time: undefined, length: 0 };
  const [{ length }, time = '', zone] = found;
  return { time: zone === 'Z' ? time : toSeconds(`${time}${zone}`), length };
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
