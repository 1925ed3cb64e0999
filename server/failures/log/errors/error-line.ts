import { classify, withoutPrefix, type ErrorReport } from './classify.ts';
import { mayReport } from './may-report.ts';
import { detailLines, ranks, type Rank } from './rule.ts';

/** Lines before a report in which the rest of its message is searched. */
const maxBefore = 10;
const maxLength = 1_000;

/** Finds the line that represents a failure. Give it the lines of the failed step in order. */
export class ErrorLineFinder {
  #best: { rank: Rank; message: string } | undefined;
  /** The best report, while its reason is expected on the next lines. */
  #open: { report: ErrorReport; linesLeft: number } | undefined;
  readonly #before: string[] = [];

  /** Returns the rank of the line, or undefined when it reports no error. */
  add(text: string): Rank | undefined {
    const line = withoutPrefix(text.slice(0, maxLength).trim());
    if (line === '') return undefined;
    const report = mayReport(line) ? classify(text) : undefined;
    const isTaken = this.#open !== undefined && this.#continue(this.#open, line, report);
    if (!isTaken && report !== undefined && report.rank > (this.#best?.rank ?? 0)) this.#start(report);
    this.#before.push(line);
    if (this.#before.length > maxBefore) this.#before.shift();
    return report?.rank;
  }

  /** The first line of the highest rank. */
  get best(): { rank: Rank; message: string } | undefined {
    return this.#best;
  }

  #start(report: ErrorReport): void {
    this.#best = { rank: report.rank, message: this.#withBefore(report) };
    this.#open = report.rule?.detail === undefined ? undefined : { report, linesLeft: detailLines };
  }

  /** Returns true when the line belongs to the open report. */
  #continue(
    open: { report: ErrorReport; linesLeft: number },
    line: string,
    report: ErrorReport | undefined,
  ): boolean {
    const { rule, rank, subject } = open.report;
    const isNested = report !== undefined && report.rule === rule && rank === ranks.cause;
    if (isNested) {
      // For example a subtest. The outer report says less.
      this.#start(report);
      return true;
    }
    const match = rule?.detail?.exec(line);
    if (match) this.#best = { rank, message: `${subject}${rule?.join ?? ': '}${match[1] ?? match[0]}` };
    if (match || --open.linesLeft === 0) this.#open = undefined;
    return Boolean(match);
  }

  #withBefore({ rule, message, subject }: ErrorReport): string {
    const wanted = rule?.before;
    if (wanted === undefined) return message;
    const found = this.#before.findLast((line) => wanted.pattern.test(line));
    if (found === undefined) return message;
    return wanted.is === 'subject' ? `${found}: ${subject}` : `${subject}: ${found}`;
  }
}
