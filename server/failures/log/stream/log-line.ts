import type { TextRange } from '#server/masking/mask.ts';
import { plainText } from './plain-text.ts';

/** One line of a log. */
export class LogLine {
  /** In the log of the job, from 1. */
  number = 0;
  /** What of the text is secret by the lines around it. */
  secrets: readonly TextRange[] = [];
  /** UTC, to the second: `2026-11-20T10:00:01`. Undefined when the line has no timestamp. */
  readonly time: string | undefined;
  /** Without escape sequences and hidden characters. */
  readonly text: string;
  readonly #whole: string;
  readonly #from: number;
  readonly #to: number;

  /** The line is a part of `whole`. */
  constructor(time: string | undefined, text: string, whole: string, from = 0, to = whole.length) {
    this.time = time;
    this.text = text;
    this.#whole = whole;
    this.#from = from;
    this.#to = to;
  }

  /** Nothing of it may be shown. */
  get isSecret(): boolean {
    const [first] = this.secrets;
    return first !== undefined && first.from === 0 && first.to >= this.text.length;
  }

  /** Without timestamp, with escape sequences. Few lines are shown, so it is cut out late. */
  get raw(): string {
    return this.#whole.slice(this.#from, this.#to);
  }
}

/** What a text says line by line. Escape sequences and hidden characters are removed from all of it at once. */
export function linesOf(text: string): LogLine[] {
  const whole = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
  if (whole.includes('\r')) return whole.split('\n').map(readLine);
  const plain = plainText(whole);
  const lines: LogLine[] = [];
  let [from, plainFrom] = [0, 0];
  while (from <= whole.length) {
    const to = endOfLine(whole, from);
    const plainTo = endOfLine(plain, plainFrom);
    const { time, length } = timestampOf(whole, from);
    // The byte order mark is a hidden character.
    const plainLength = length > 0 && whole.charCodeAt(from) === byteOrderMark ? length - 1 : length;
    lines.push(new LogLine(time, plain.slice(plainFrom + plainLength, plainTo), whole, from + length, to));
    from = to + 1;
    plainFrom = plainTo + 1;
  }
  return lines;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function readLine(line: string): LogLine {
  const { time, length } = timestampOf(line, 0);
  const raw = afterReturn(line.slice(length));
  return new LogLine(time, plainText(raw), raw);
}

const byteOrderMark = 0xfeff;
/** The usual form has 29 characters. */
const usualTimestamp = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z /y;
const timestamp = /\uFEFF?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d) ?/y;

/** What the forge puts before each line. */
function timestampOf(text: string, from: number): { time: string | undefined; length: number } {
  usualTimestamp.lastIndex = from;
  if (usualTimestamp.test(text)) return { time: text.slice(from, from + 19), length: 29 };
  timestamp.lastIndex = from;
  const found = timestamp.exec(text);
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
