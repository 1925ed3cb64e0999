import { fewestForP90, type Percentiles } from '#contract/metrics/percentiles.ts';

/** By the nearest rank. */
export function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number | null => {
    const value = sorted[Math.ceil(sorted.length * share) - 1];
    return value === undefined ? null : Math.round(value);
  };
  return { count: sorted.length, p50: at(0.5), p90: sorted.length < fewestForP90 ? null : at(0.9) };
}
