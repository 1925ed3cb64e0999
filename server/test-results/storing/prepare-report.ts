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
  /** Ids of all tests, those that passed first, as Postgres reads arrays in binary form. */
  testIds: Uint8Array;
  count: number;
  passed: number;
  /** The same tests with their names, in portions of `testsOfPortion`. */
  tests: Uint8Array[];
  /** Passes with their time, and skips, by the first byte of the id. */
  blocks: Uint8Array[];
  /** Cases that failed or needed a retry. */
  failures: Uint8Array[];
}

export const testsOfPortion = 5000;
const blocksOfPortion = 16;
const failuresOfPortion = 200;

export function prepareCases(cases: readonly ReportedCase[], target: ReportTarget): PreparedCases {
  const known = identify(cases, target);
  const passed = known.filter(({ outcome }) => outcome === 'passed');
  const ordered = [...passed, ...known.filter(({ outcome }) => outcome !== 'passed')];
  const failures = known
    .filter(({ outcome, retries }) => outcome === 'failed' || (outcome === 'passed' && retries > 0))
    .map((each) => ({ ...each, testId: withDashes(each.testId) }));
  return {
    testIds: uuidArray(ordered.map(({ testId }) => testId)),
    count: ordered.length,
    passed: passed.length,
    tests: portions(ordered, testsOfPortion).map((part) =>
      jsonBytes(part, ['testId', 'className', 'name', 'file']),
    ),
    blocks: portions(blocksOf(known), blocksOfPortion).map((part) => jsonBytes(part)),
    failures: portions(failures, failuresOfPortion).map((part) => jsonBytes(part)),
  };
}

/** Ids are without dashes, which Postgres does not need. */
function identify(cases: readonly ReportedCase[], { repositoryKey, suite }: ReportTarget): IdentifiedCase[] {
  const prefix = `${repositoryKey}\n${suite}\n`;
  return cases.map(({ className, name, file, outcome, durationMs, retries, message, trace }) => {
    // The identity of a test: its repository, the label of its suite, its class and its name.
    const testId = hash('sha256', `${prefix}${className}\n${name}`).slice(0, 32);
    return { testId, className, name, file, outcome, durationMs, retries, message, trace };
  });
}

const withDashes = (id: string): string =>
  `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`;

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

/** A `uuid[]` of ids without dashes, in the binary form that Postgres sends and receives. Reading it as text would cost more than finding the tests. */
function uuidArray(ids: readonly string[]): Uint8Array {
  const head = Buffer.alloc(20);
  const uuidOid = 2950;
  for (const [n, value] of [1, 0, uuidOid, ids.length, 1].entries()) head.writeInt32BE(value, n * 4);
  const elements = Buffer.from(ids.map((id) => `00000010${id}`).join(''), 'hex');
  return Uint8Array.from(Buffer.concat([head, elements]));
}

/** Sets the bit at each ordinal. The ordinals are big-endian. */
export function bitsAt(ordinals: Buffer): Buffer {
  let highest = -1;
  for (let at = 0; at < ordinals.length; at += 4) highest = Math.max(highest, ordinals.readInt32BE(at));
  const bits = Buffer.alloc((highest >> 3) + 1);
  for (let at = 0; at < ordinals.length; at += 4) {
    const ordinal = ordinals.readInt32BE(at);
    bits[ordinal >> 3]! |= 1 << (ordinal & 7);
  }
  return bits;
}
