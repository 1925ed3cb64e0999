import { median } from '../results/pairs.ts';

export interface Flatness {
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
