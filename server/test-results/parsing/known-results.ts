import { hash } from 'node:crypto';
import type { ReportedCase } from './case-collector.ts';

/** Of an attempt. Results beyond are not remembered, so that they count each time. */
const mostKnown = 100_000;
const digestLength = 8;

/** Equal results with fewer different times can be results of two legs. */
const leastTimes = 10;

/**
 * The results in the artifacts of an attempt. A merged report beside its parts, or the same report in two artifacts, repeats them. A test that
 * ran twice takes another time, so a report is a repetition only if all of its results are known, times included.
 */
export class KnownResults {
  readonly #digests = new Set<string>();

  constructor(bytes: Uint8Array) {
    const text = Buffer.from(bytes).toString('latin1');
    for (let at = 0; at < text.length; at += digestLength)
      this.#digests.add(text.slice(at, at + digestLength));
  }

  /** The reports of an artifact that repeat known results, or those of its other reports. The results of all are known afterwards. */
  repeatedIn<Report extends { cases: readonly ReportedCase[] }>(reports: readonly Report[]): Set<Report> {
    // Parts come before what was merged from them.
    const smallestFirst = reports.toSorted((a, b) => a.cases.length - b.cases.length);
    const repeated = smallestFirst.filter(({ cases }) => cases.length > 0 && !this.#add(cases));
    // Among many small files some are equal by chance, but not all.
    if (repeated.length === reports.length && isUnmistakable(repeated.flatMap(({ cases }) => cases)))
      return new Set(repeated);
    return new Set(repeated.filter(({ cases }) => isUnmistakable(cases)));
  }

  /** Whether a result was not known. */
  #add(cases: readonly ReportedCase[]): boolean {
    const unknown = cases.map(digestOf).filter((digest) => !this.#digests.has(digest));
    if (this.#digests.size + unknown.length <= mostKnown)
      for (const digest of unknown) this.#digests.add(digest);
    return unknown.length > 0;
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(Buffer.from([...this.#digests].join(''), 'latin1'));
  }
}

const isUnmistakable = (cases: readonly ReportedCase[]): boolean =>
  new Set(cases.flatMap(({ durationMs }) => durationMs || [])).size >= leastTimes;

function digestOf({ className, name, outcome, durationMs, retries, message }: ReportedCase): string {
  const facts = JSON.stringify([className, name, outcome, durationMs, retries, message]);
  return hash('sha256', facts, 'latin1').slice(0, digestLength);
}
