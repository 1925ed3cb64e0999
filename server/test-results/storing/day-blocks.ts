import { outcomes, type PreparedCases } from './prepare-report.ts';

/** Tests of a suite with neighbouring ordinals share a row of each day. */
export const testsOfBlock = 256;

/** What a report adds to some blocks. The other arrays have `testsOfBlock` elements for each number. */
export interface DayBlocks {
  numbers: number[];
  passes: Int32Array;
  /** Empty if no test was skipped. */
  skips: Int32Array;
  /** Of passes: a failure may end early or wait long. */
  durations: Int32Array;
}

/** Of a statement. */
const mostBlocks = 64;

const passed = outcomes.indexOf('passed');
const skipped = outcomes.indexOf('skipped');

type Results = Pick<PreparedCases, 'outcomes' | 'durations'>;

/** The results of tests by their ordinals. */
export function dayBlocks(ordinals: Int32Array, results: Results): DayBlocks[] {
  const numbers = [...new Set(ordinals.map((ordinal) => blockOf(ordinal)))];
  const places = new Map(numbers.map((number, n) => [number, n]));
  const portions = Array.from({ length: Math.ceil(numbers.length / mostBlocks) }, (_, n) =>
    emptyBlocks(numbers.slice(n * mostBlocks, (n + 1) * mostBlocks)),
  );
  for (const [n, ordinal] of ordinals.entries()) {
    const place = places.get(blockOf(ordinal))!;
    const { passes, skips, durations } = portions[Math.floor(place / mostBlocks)]!;
    const at = (place % mostBlocks) * testsOfBlock + (ordinal % testsOfBlock);
    if (results.outcomes[n] === skipped) skips[at]! += 1;
    if (results.outcomes[n] !== passed) continue;
    passes[at]! += 1;
    durations[at]! += results.durations[n]!;
  }
  return portions.map((blocks) =>
    blocks.skips.some((count) => count > 0) ? blocks : { ...blocks, skips: new Int32Array() },
  );
}

const blockOf = (ordinal: number): number => Math.floor(ordinal / testsOfBlock);

function emptyBlocks(numbers: number[]): DayBlocks {
  const zeros = () => new Int32Array(numbers.length * testsOfBlock);
  return { numbers, passes: zeros(), skips: zeros(), durations: zeros() };
}

/** The bit at the ordinal of each test that passed. */
export function passedBits(ordinals: Int32Array, results: Pick<Results, 'outcomes'>): Buffer {
  const ofPassed = ordinals.filter((_, n) => results.outcomes[n] === passed);
  const highest = ofPassed.reduce((most, ordinal) => Math.max(most, ordinal), -1);
  const bits = Buffer.alloc((highest >> 3) + 1);
  for (const ordinal of ofPassed) bits[ordinal >> 3]! |= 1 << (ordinal & 7);
  return bits;
}
