import { mostOtherSubjects } from '#contract/failures/failure-reason.ts';
import { classify, errorRules, isEndOfStep, withoutPrefix, type ErrorReport } from './classify.ts';
import { mayReport } from './may-report.ts';
import { detailLines, ranks, type ErrorRule, type Rank } from './rule.ts';
import { isSummary } from './summaries.ts';
import { testRules } from './test-rules.ts';

/** Lines before a report in which the reason is searched. */
const maxBefore = 10;
const maxLength = 1_000;
/** Suites around a test. */
const maxNested = 6;

/** A line that represents a failure. */
export interface FoundError {
  rank: Rank;
  message: string;
  /** The test, file, package or target that failed. Null when the line names none. */
  subject: string | null;
}

interface OpenReport {
  report: ErrorReport;
  linesLeft: number;
  /** Of the line, while suites and the name of the test may follow. */
  indentation: number | undefined;
  nested: string[];
}

const rulesOfTests = new Set(testRules);
const rulesWithBefore = errorRules.filter(({ before }) => before !== undefined && before.is !== 'detail');

/** Finds the line that represents a failure. Give it the lines of the failed step in order. */
export class ErrorLineFinder {
  #best: FoundError | undefined;
  /** The report of the best line, as its own line names it. */
  #bestReport: ErrorReport | undefined;
  readonly #others = new Set<string>();
  /** The newest report, while its reason is expected on the next lines. */
  #open: OpenReport | undefined;
  readonly #before: string[] = [];
  /** The newest line that names what the next reports of a rule are about. */
  readonly #context = new Map<ErrorRule, string>();

  /** Returns the rank of the line, or undefined when it reports no error. */
  add(text: string): Rank | undefined {
    const cut = text.slice(0, maxLength).trimEnd();
    const line = withoutPrefix(cut.trim());
    if (line === '') {
      if (this.#open !== undefined) this.#endNested(this.#open);
      return undefined;
    }
    const report = mayReport(line) ? classify(text) : undefined;
    const isTaken = this.#open !== undefined && this.#continue(this.#open, line, cut, report);
    if (!isTaken && report !== undefined && this.#isBetter(report)) this.#start(report, cut);
    else if (report !== undefined) this.#noteOther(report);
    this.#note(line);
    return report?.rank;
  }

  /** The first line of the highest rank. */
  get best(): FoundError | undefined {
    return this.#best;
  }

  /** True when a test failed, whatever it says. */
  get isOfTest(): boolean {
    const { rule, rank = ranks.summary } = this.#bestReport ?? {};
    return rule !== undefined && rank > ranks.summary && rulesOfTests.has(rule);
  }

  /** What the other lines of the same kind as the best one name. */
  get others(): ReadonlySet<string> {
    return this.#others;
  }

  /** Tools name a test and its parts on lines of one kind: `TestParser` and `TestParser/empty`. */
  #noteOther({ rule, subject }: ErrorReport): void {
    const best = this.#bestReport;
    if (rule === undefined || best?.rule !== rule || subject === null || best.subject === null) return;
    const isSame = subject.startsWith(best.subject) || best.subject.startsWith(subject);
    if (!isSame && this.#others.size < mostOtherSubjects) this.#others.add(subject);
  }

  /** A test that fails without a message says what it is on the line of its place only. */
  #isBetter({ rank, subject }: Pick<FoundError, 'rank' | 'subject'>): boolean {
    const best = this.#best;
    if (best === undefined || rank > best.rank) return true;
    return rank === ranks.place && best.rank === rank && best.subject === null && subject !== null;
  }

  #note(line: string): void {
    for (const rule of rulesWithBefore) {
      const { pattern, after } = rule.before ?? { pattern: /$^/ };
      if (after !== undefined && !after.test(this.#before.at(-1) ?? '')) continue;
      const match = pattern.exec(line);
      if (match !== null) this.#context.set(rule, match[1] ?? match[0]);
    }
    this.#before.push(line);
    if (this.#before.length > maxBefore) this.#before.shift();
  }

  #start(found: ErrorReport, text: string): void {
    const report = this.#withBefore(found);
    const { rule } = report;
    if (this.#bestReport?.rule !== found.rule) this.#others.clear();
    this.#bestReport = found;
    this.#improve({ ...report, rank: rule?.alone ?? report.rank });
    this.#open =
      rule?.detail === undefined
        ? undefined
        : {
            report,
            linesLeft: rule.within ?? detailLines,
            indentation: rule.nested ? indentationOf(text) : undefined,
            nested: [],
          };
  }

  #improve({ rank, message, subject }: FoundError): void {
    if (this.#isBetter({ rank, subject })) this.#best = { rank, message, subject };
  }

  /** Returns true when the line belongs to the open report. */
  #continue(open: OpenReport, line: string, text: string, report: ErrorReport | undefined): boolean {
    const { rule, rank } = open.report;
    if (open.indentation !== undefined) {
      if (indentationOf(text) > open.indentation && open.nested.length < maxNested && !isReason.test(line)) {
        open.nested.push(line);
        if (!line.endsWith(':')) return true;
        open.report = nestedReport(open);
        open.nested = [];
        open.indentation = undefined;
        return true;
      }
      this.#endNested(open);
      if (this.#open === undefined) return false;
    }
    const isNested = report !== undefined && report.rule === rule && rank === ranks.cause;
    if (isNested) {
      // For example a subtest. The outer report says less.
      this.#open = undefined;
      if (this.#best?.rank === (rule?.alone ?? rank)) this.#best = undefined;
      this.#start(report, text);
      return true;
    }
    // The end of a list of failed tests, or of the step.
    if (isSummary(line) || (report !== undefined && isEndOfStep(report.message))) {
      this.#open = undefined;
      return false;
    }
    const match = rule?.detail?.exec(line);
    if (match) this.#close(open, match);
    else if (--open.linesLeft === 0) this.#open = undefined;
    return Boolean(match);
  }

  /** Lines that turned out to be no names of suites can be the reason. */
  #endNested(open: OpenReport): void {
    if (open.indentation === undefined) return;
    open.indentation = undefined;
    for (const line of open.nested) {
      const match = open.report.rule?.detail?.exec(line);
      if (match) return this.#close(open, match);
    }
    open.nested = [];
  }

  #close({ report }: OpenReport, match: RegExpExecArray): void {
    const { rank, rule, subject, message } = report;
    const head = subject ?? message;
    const join = rule?.join ?? ': ';
    // A detail that names what failed completes the message.
    const found = match.groups?.['subject'];
    this.#improveOpen({
      rank,
      message: `${found === undefined ? head : message}${join}${match[1] ?? match[0]}`,
      subject: subject === null ? (found ?? null) : subject,
    });
    this.#open = undefined;
  }

  /** The detail belongs to a report that was the best one, or becomes it. */
  #improveOpen(found: FoundError): void {
    if (found.rank >= (this.#best?.rank ?? 0)) this.#best = found;
  }

  #withBefore(report: ErrorReport): ErrorReport {
    const { rule, subject, message } = report;
    if (rule?.before === undefined) return report;
    if (rule.before.is === 'detail') {
      const found = this.#before.findLast((line) => rule.before?.pattern.test(line));
      return found === undefined ? report : { ...report, message: `${subject ?? message}: ${found}` };
    }
    const found = this.#context.get(rule);
    if (found === undefined) return report;
    if (rule.before.is === 'subject' || subject === null)
      return { ...report, subject: found, message: `${found}: ${message}` };
    const name = `${found} › ${subject}`;
    return { ...report, subject: name, message: name };
  }
}

/** Headings of a reason, in the reports of test runners with numbered failures. */
const isReason = /^(?:Failure\/Error:|Message:|Error:|Failure:|Stack:|Expected|[A-Z]\w*(?:Error|Exception))/;

const indentationOf = (text: string): number => text.length - text.trimStart().length;

function nestedReport({ report, nested }: OpenReport): ErrorReport {
  const names = [report.subject ?? report.message, ...nested].map((name) => name.replace(/:$/, ''));
  const subject = names.join(' › ');
  return { ...report, subject, message: subject };
}
