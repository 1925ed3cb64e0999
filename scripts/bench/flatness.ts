import { median } from './pairs.ts';
import type { PageMemory } from './page-memory.ts';

export const largestRatio = 1.1;

interface Flatness {
  /** Median of the first and of the last third. */
  first: number;
  last: number;
  ratio: number;
  /** Of the line with the least squares through all values, for each step. */
  slope: number;
}

/** Whether values that were read at even intervals grow. */
export function flatnessOf(values: readonly number[]): Flatness {
  const third = Math.max(1, Math.floor(values.length / 3));
  const first = median(values.slice(0, third));
  const last = median(values.slice(-third));
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [shared, spread] = [0, 0];
  for (const [at, value] of values.entries()) {
    shared += (at - middle) * (value - mean);
    spread += (at - middle) ** 2;
  }
  return { first, last, ratio: last / first, slope: spread === 0 ? 0 : shared / spread };
}

/**
 * Prints a line for the heap and one for the nodes of what was read every `everyMs`. True when both are flat. The first tenth does not count,
 * because caches of the browser fill at first.
 */
export function reportMemory(name: string, all: readonly PageMemory[], everyMs: number): boolean {
  const warm = all.slice(Math.ceil(all.length / 10));
  const heap = warm.map(({ heapBytes }) => heapBytes / 1024);
  const nodes = warm.map((one) => one.nodes);
  const areMet = [report(`${name}, heap in KiB`, heap, everyMs), report(`${name}, nodes`, nodes, everyMs)];
  return areMet.every(Boolean);
}

function report(what: string, values: readonly number[], everyMs: number): boolean {
  const { first, last, ratio, slope } = flatnessOf(values);
  const hourly = (slope * 3_600_000) / everyMs;
  const isMet = ratio <= largestRatio;
  process.stdout.write(
    `${what}: ${ratio.toFixed(3)} (${first.toFixed(0)} to ${last.toFixed(0)}, ${hourly.toFixed(0)} an hour); ` +
      `budget ${largestRatio}; ${isMet ? 'met' : 'NOT MET'}\n`,
  );
  return isMet;
}
