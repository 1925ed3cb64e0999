import { reportMaxBytes } from '#contract/tests/tests.ts';
import { plainText } from '#server/failures/log/stream/plain-text.ts';
import { maskProse } from '#server/masking/mask-text.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';

export type CaseOutcome = 'passed' | 'failed' | 'skipped';

/** A test as one report tells it. */
export interface ReportedCase {
  /** Class, module, package or file, as the tool names it. Empty if the report has none. */
  className: string;
  name: string;
  file: string | null;
  outcome: CaseOutcome;
  /** Null if the report gives no readable time. */
  durationMs: number | null;
  /** Failed attempts before the outcome. The report itself says so, so the test is flaky if it passed. */
  retries: number;
  message: string | null;
  trace: string | null;
}

export interface ParsedReport {
  format: 'junit' | 'ctrf' | 'go-test';
  cases: ReportedCase[];
  /** False if cases are missing: the file ends early, or something of it was not read. */
  isWhole: boolean;
  /** What was wrong with the report, in sentences for its sender. */
  faults: string[];
}

export const reportLimits = {
  unpackedBytes: reportMaxBytes,
  cases: 200_000,
  nameLength: 512,
  messageLength: 4 * 1024,
  traceLength: 16 * 1024,
  /** Texts of all failures of a report together. A report in which everything fails must not fill the memory. */
  textLength: 8 * 1024 * 1024,
  depth: 64,
  /** More than any tool makes. */
  retries: 1000,
  /** The longest test that a report can tell of. A larger number is not a duration. */
  durationMs: 7 * 24 * 3_600_000,
} as const;

export const beyondLimit = `is beyond the limit of ${reportLimits.cases} in one report`;

/** Nothing of the report can be read. */
export class UnreadableReport extends Error {}

/** A text of a report without control sequences, cut to what is kept of it. Null if nothing is left. */
function reportText(text: string | null | undefined, maxLength: number): string | null {
  if (text === null || text === undefined || text === '') return null;
  // Cut first, with room for what is removed, so that the cost is bounded.
  const short = text.length > maxLength * 2 ? text.slice(0, maxLength * 2) : text;
  return storableText(plainText(short).trim(), maxLength);
}

/** Read beyond the stored length, so that a token at the cut is recognized. */
const longestToken = 1024;

/** A name in a report, without tokens: names of tests with parameters can contain them. */
export function reportName(text: string | null | undefined, maxLength: number): string | null {
  const read = reportText(text, maxLength + longestToken);
  return read === null ? null : storableText(maskProse(read), maxLength);
}

/** Names of classes and files that are remembered. */
const maxShared = 10_000;

/** Cases by class and name. Equal names in one file become one case. */
export class CaseCollector {
  readonly #cases = new Map<string, ReportedCase>();
  readonly #faults = new Map<string, number>();
  readonly #sentences: string[] = [];
  #repeated = 0;
  readonly #names = new Map<string, string | null>();
  #textLength = 0;
  #isWhole = true;

  /**
   * Adds a case. Equal names are different tests with equal names, or attempts of one: the report does not tell. So a
   * failure is kept, and a pass beside it does not make the test flaky.
   */
  add(found: ReportedCase): void {
    const name = reportName(found.name, reportLimits.nameLength);
    if (name === null) return this.count('has no name');
    const className = this.#shared(found.className) ?? '';
    const key = `${className}\n${name}`;
    const before = this.#cases.get(key);
    if (before === undefined && this.#cases.size >= reportLimits.cases) return this.count(beyondLimit);
    const kept: ReportedCase = {
      ...found,
      name,
      className,
      file: this.#shared(found.file),
      retries: Math.min(found.retries, reportLimits.retries),
      message: this.#textOf(found, found.message, reportLimits.messageLength),
      trace: this.#textOf(found, found.trace, reportLimits.traceLength),
    };
    if (before !== undefined) this.#repeated += 1;
    this.#cases.set(key, before === undefined ? kept : mergeCases(before, kept));
  }

  /** Notes a fault of one case, which is left out. Equal faults are counted. */
  count(fault: string): void {
    this.#isWhole = false;
    if (this.#faults.size < 20 || this.#faults.has(fault))
      this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  /** Notes a fault of the whole report. */
  note(sentence: string): void {
    if (this.#sentences.length < 20 && !this.#sentences.includes(sentence)) this.#sentences.push(sentence);
  }

  /** Notes that cases are missing. */
  noteMissing(sentence: string): void {
    this.#isWhole = false;
    this.note(sentence);
  }

  result(format: ParsedReport['format']): ParsedReport {
    if (this.#repeated > 0)
      this.note(
        `${plural(this.#repeated, 'case has', 'cases have')} the class and name of another one and ${this.#repeated === 1 ? 'is' : 'are'} added to it.`,
      );
    const counted = [...this.#faults].map(
      ([fault, n]) => `${plural(n, 'case', 'cases')} left out: ${fault}.`,
    );
    return {
      format,
      cases: [...this.#cases.values()],
      isWhole: this.#isWhole,
      faults: [...this.#sentences, ...counted],
    };
  }

  /** Many cases have the same class and file. */
  #shared(text: string | null): string | null {
    if (text === null) return null;
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = reportName(text, reportLimits.nameLength);
    if (this.#names.size < maxShared) this.#names.set(text, name);
    return name;
  }

  #textOf({ outcome, retries }: ReportedCase, text: string | null, maxLength: number): string | null {
    if (outcome !== 'failed' && retries === 0) return null;
    if (this.#textLength >= reportLimits.textLength) {
      this.note('The texts of the failures are longer than is kept of one report. Later ones are left out.');
      return null;
    }
    const kept = reportText(text, maxLength);
    this.#textLength += kept?.length ?? 0;
    return kept;
  }
}

const rank: Record<CaseOutcome, number> = { failed: 2, passed: 1, skipped: 0 };

function mergeCases(before: ReportedCase, next: ReportedCase): ReportedCase {
  const [first, second] = rank[next.outcome] > rank[before.outcome] ? [next, before] : [before, next];
  return {
    ...first,
    retries: Math.min(first.retries + second.retries, reportLimits.retries),
    durationMs:
      first.durationMs !== null && second.durationMs !== null
        ? Math.min(first.durationMs + second.durationMs, reportLimits.durationMs)
        : (first.durationMs ?? second.durationMs),
  };
}

const mostFaults = 20;

/** Several reports as one: those of the files of an artifact. Equal names become one case, as they do in one file. */
export function mergeReports(reports: readonly (ParsedReport & { file: string })[]): ParsedReport {
  const cases = new Map<string, ReportedCase>();
  let isWhole = reports.every((report) => report.isWhole);
  for (const found of reports.flatMap((report) => report.cases)) {
    const key = `${found.className}\n${found.name}`;
    const before = cases.get(key);
    if (before !== undefined) cases.set(key, mergeCases(before, found));
    else if (cases.size < reportLimits.cases) cases.set(key, found);
    else isWhole = false;
  }
  const faults = reports.flatMap(({ file, faults: own }) =>
    own.map((fault) => (file === '' ? fault : `${reportName(file, 200)}: ${fault}`)),
  );
  if (faults.length > mostFaults)
    faults.splice(mostFaults, Infinity, `${faults.length - mostFaults} more faults.`);
  return { format: reports[0]!.format, cases: [...cases.values()], isWhole, faults };
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * Milliseconds of a duration in seconds as tools write it: `1.5`, `1,024.12` with thousands, `0,160` with a decimal comma. Null for
 * anything else, such as `NaN` or `N/A`.
 */
export function secondsToMs(text: string | undefined): number | null {
  if (text === undefined || text.length > 40) return null;
  const hasPoint = text.includes('.');
  const [whole, ...others] = text.trim().split(',');
  const isDecimalComma = !hasPoint && others.length === 1;
  const number = isDecimalComma ? `${whole}.${others[0]}` : [whole, ...others].join('');
  return /^\d+(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i.test(number) ? boundedMs(Number(number) * 1000) : null;
}

export function boundedMs(ms: unknown): number | null {
  if (typeof ms !== 'number' || !(ms >= 0) || ms > reportLimits.durationMs) return null;
  return Math.round(ms);
}
