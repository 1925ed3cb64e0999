import { hash } from 'node:crypto';
import type { ReportedCase } from '../parsing/case-collector.ts';

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
 * The cases of a report as statements take them: portions of JSON. They are made in a thread, and Postgres reads them, so that their number
 * does not matter to the event loop.
 */
export interface PreparedCases {
  /** Ids of tests. */
  testIds: Uint8Array[];
  /** The same tests with their names. */
  tests: Uint8Array[];
  /** Passes with their time, and skips, by the first byte of the id. */
  blocks: Uint8Array[];
  /** Cases that failed or needed a retry. */
  failures: Uint8Array[];
  /** For each portion of tests, a byte for each: 1 if it passed. */
  passed: Uint8Array[];
}

const testsOfPortion = 5000;
const blocksOfPortion = 16;
const failuresOfPortion = 200;

export function prepareCases(cases: readonly ReportedCase[], target: ReportTarget): PreparedCases {
  const known = identify(cases, target);
  const failures = known.filter(
    ({ outcome, retries }) => outcome === 'failed' || (outcome === 'passed' && retries > 0),
  );
  const tests = portions(known, testsOfPortion);
  return {
    testIds: tests.map((part) => jsonBytes(part.map(({ testId }) => testId))),
    tests: tests.map((part) => jsonBytes(part, ['testId', 'className', 'name', 'file'])),
    blocks: portions(blocksOf(known), blocksOfPortion).map((part) => jsonBytes(part)),
    failures: portions(failures, failuresOfPortion).map((part) => jsonBytes(part)),
    passed: tests.map((part) => Uint8Array.from(part, ({ outcome }) => (outcome === 'passed' ? 1 : 0))),
  };
}

function identify(cases: readonly ReportedCase[], { repositoryKey, suite }: ReportTarget): IdentifiedCase[] {
  const prefix = `${repositoryKey}\n${suite}\n`;
  return cases.map(({ className, name, file, outcome, durationMs, retries, message, trace }) => {
    // The identity of a test: its repository, the label of its suite, its class and its name.
    const digest = hash('sha256', `${prefix}${className}\n${name}`);
    const testId = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-${digest.slice(12, 16)}-${digest.slice(16, 20)}-${digest.slice(20, 32)}`;
    return { testId, className, name, file, outcome, durationMs, retries, message, trace };
  });
}

/** Arrays of Postgres as text, with an element for each test. The time is that of passes: a failure may end early or wait long. */
interface Block {
  block: number;
  testIds: string;
  passes: string;
  skips: string;
  durations: string;
}

function blocksOf(cases: readonly IdentifiedCase[]): Block[] {
  const blocks = new Map<string, Block>();
  for (const { testId, outcome, durationMs } of cases) {
    const byte = testId.slice(0, 2);
    let block = blocks.get(byte);
    if (block === undefined) {
      block = { block: Number.parseInt(byte, 16), testIds: '{', passes: '{', skips: '{', durations: '{' };
      blocks.set(byte, block);
    }
    const comma = block.testIds === '{' ? '' : ',';
    block.testIds += comma + testId;
    block.passes += comma + (outcome === 'passed' ? '1' : '0');
    block.skips += comma + (outcome === 'skipped' ? '1' : '0');
    block.durations += `${comma}${outcome === 'passed' ? (durationMs ?? 0) : 0}`;
  }
  for (const block of blocks.values())
    for (const name of ['testIds', 'passes', 'skips', 'durations'] as const) block[name] += '}';
  return [...blocks.values()];
}

function portions<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

const encoder = new TextEncoder();
const jsonBytes = (value: unknown, fields?: string[]): Uint8Array =>
  encoder.encode(JSON.stringify(value, fields));

/** Sets the bit at the ordinal of each test that passed. The ordinals are big-endian. */
export function passedBits(portions: readonly { ordinals: Buffer; passed: Uint8Array }[]): Buffer {
  let highest = -1;
  for (const { ordinals, passed } of portions)
    for (const [n, isPassed] of passed.entries())
      if (isPassed === 1) highest = Math.max(highest, ordinals.readInt32BE(n * 4));
  const bits = Buffer.alloc((highest >> 3) + 1);
  for (const { ordinals, passed } of portions)
    for (const [n, isPassed] of passed.entries()) {
      if (isPassed !== 1) continue;
      const ordinal = ordinals.readInt32BE(n * 4);
      bits[ordinal >> 3]! |= 1 << (ordinal & 7);
    }
  return bits;
}
