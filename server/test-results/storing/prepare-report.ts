import { hash } from 'node:crypto';
import type { CaseOutcome, ReportedCase } from '../parsing/case-collector.ts';
import { uuidArray } from './binary-arrays.ts';

/** A case with its identity. */
export interface IdentifiedCase extends ReportedCase {
  testId: string;
}

/** What belongs to the identity of all tests of a report. */
export interface ReportTarget {
  /** A bigint as text. */
  repositoryKey: string;
  suite: string;
}

/**
 * The cases of a report as statements take them. They are made in a thread, and Postgres reads names and ids, so that their number hardly
 * matters to the event loop.
 */
export interface PreparedCases {
  count: number;
  /** Ids of all tests, as Postgres reads arrays in binary form. */
  testIds: Uint8Array;
  /** Of the same tests, each a place in `outcomes`. */
  outcomes: Uint8Array;
  durations: Int32Array;
  /** In portions of `testsOfPortion`, each name followed by `endOfName`. */
  classNames: Uint8Array[];
  names: Uint8Array[];
  files: Uint8Array[];
  /** Cases that failed or needed a retry, as JSON. */
  failures: Uint8Array[];
}

/** Names have no control characters but tabs and line feeds. */
export const endOfName = '\u001e';

export const outcomes: readonly CaseOutcome[] = ['passed', 'skipped', 'failed'];

export const testsOfPortion = 5000;
const failuresOfPortion = 200;

export function prepareCases(
  cases: readonly ReportedCase[],
  { repositoryKey, suite }: ReportTarget,
): PreparedCases {
  const prefix = `${repositoryKey}\n${suite}\n`;
  // The identity of a test: its repository, the label of its suite, its class and its name.
  const idOf = ({ className, name }: ReportedCase): string =>
    hash('sha256', `${prefix}${className}\n${name}`).slice(0, 32);
  const failures = cases
    .filter(({ outcome, retries }) => outcome === 'failed' || (outcome === 'passed' && retries > 0))
    .map((each) => ({ ...each, testId: withDashes(idOf(each)) }));
  const parts = portions(cases, testsOfPortion);
  return {
    count: cases.length,
    testIds: uuidArray(cases.map(idOf)),
    outcomes: Uint8Array.from(cases, ({ outcome }) => outcomes.indexOf(outcome)),
    durations: Int32Array.from(cases, ({ durationMs }) => durationMs ?? 0),
    classNames: parts.map((part) => namesOf(part, 'className')),
    names: parts.map((part) => namesOf(part, 'name')),
    files: parts.map((part) => namesOf(part, 'file')),
    failures: portions(failures, failuresOfPortion).map((part) => encoder.encode(JSON.stringify(part))),
  };
}

const withDashes = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

function portions<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

const encoder = new TextEncoder();

function namesOf(cases: readonly ReportedCase[], field: 'className' | 'name' | 'file'): Uint8Array {
  let text = '';
  for (const each of cases) text += (each[field] ?? '') + endOfName;
  return encoder.encode(text);
}
