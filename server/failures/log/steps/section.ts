import type { FailedStep } from '#contract/failures/failure-reason.ts';
import { isMarked } from '../errors/classify.ts';
import { ErrorLineFinder } from '../errors/error-line.ts';
import { ranks, type Rank } from '../errors/rule.ts';
import { masked } from '#server/masking/mask.ts';
import type { LogLine } from '../stream/log-line.ts';
import { isEndOfHeader, isStartOfGroup } from './markers.ts';

/** Lines before and after an error that are kept with it. */
export const contextLines = 10;
const lastLines = 25;
/** Characters of lines kept for each rank. A flood of weak errors then displaces no strong one. */
const maxKept = 64 * 1024;
/** The script, its shell and its environment at the start of a step. */
const maxHeaderLines = 60;

/** Keeps what explains a failure among the lines of one step. */
export class Section {
  step: FailedStep | null = null;
  /** The number of the first line, when the start of the step is in the log. */
  firstLine: number | undefined;
  hasFailed = false;
  readonly errors: { number: number; rank: Rank }[] = [];
  readonly finder = new ErrorLineFinder();
  readonly #kept = new Map<number, LogLine>();
  readonly #room: Record<Rank, number> = {
    1: maxKept,
    2: maxKept,
    3: maxKept,
    4: maxKept,
    5: maxKept,
  };
  readonly #last: LogLine[] = [];
  #keepUntil = 0;
  #keepFor: Rank = ranks.summary;
  #headerLeft = 0;

  /** The step begins with this line, or a part of it if `firstLine` is not given. */
  start(text: string, firstLine: number | undefined): void {
    this.#headerLeft = isStartOfGroup(text) ? maxHeaderLines : 0;
    this.firstLine = firstLine ?? this.firstLine;
  }

  add(line: LogLine): void {
    const isHeader = this.#isHeader(line.text);
    const isError = isMarked(line.text.trimStart());
    if (isError) this.hasFailed = true;
    const rank =
      !line.isSecret && (!isHeader || isError) ? this.finder.add(masked(line.text, line.secrets)) : undefined;
    if (rank !== undefined) this.#keepAround(line, rank);
    else if (line.number <= this.#keepUntil) this.#keep(line, this.#keepFor);
    this.#last.push(line);
    if (this.#last.length > lastLines) this.#last.shift();
  }

  /** The kept lines by number, also the last ones. */
  lines(): Map<number, LogLine> {
    return new Map([...this.#kept, ...this.#last.map((line) => [line.number, line] as const)]);
  }

  /** The last lines, in order. */
  get last(): readonly LogLine[] {
    return this.#last;
  }

  /** The text echoes what is run: it reports nothing. */
  #isHeader(text: string): boolean {
    if (this.#headerLeft === 0) return false;
    this.#headerLeft = isEndOfHeader(text) ? 0 : this.#headerLeft - 1;
    return true;
  }

  #keepAround(line: LogLine, rank: Rank): void {
    if (this.#room[rank] <= 0) return;
    this.errors.push({ number: line.number, rank });
    for (const before of this.#last.slice(-contextLines)) this.#keep(before, rank);
    this.#keep(line, rank);
    this.#keepUntil = line.number + contextLines;
    this.#keepFor = rank;
  }

  #keep(line: LogLine, rank: Rank): void {
    if (this.#room[rank] <= 0 || this.#kept.has(line.number)) return;
    this.#kept.set(line.number, line);
    this.#room[rank] -= line.raw.length + 1;
  }
}
