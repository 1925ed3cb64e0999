import type { Counts } from '../histograms.ts';

/**
 * The tests of *What changed*. Each returns the probability of a difference at least this large when nothing changed. Own functions,
 * because the usual libraries have neither Fisher's exact test nor a rank-sum test over histograms.
 */

/** Two-sided rank-sum test (Mann and Whitney) of two histograms, with the corrections for ties and continuity. */
export function rankSumTest(before: Counts, after: Counts): number {
  let [countBefore, countAfter, ranksAfter, ties, below] = [0, 0, 0, 0, 0];
  for (let bucket = 0; bucket < Math.max(before.length, after.length); bucket += 1) {
    const [earlier, later] = [before[bucket] ?? 0, after[bucket] ?? 0];
    const here = earlier + later;
    ranksAfter += later * (below + (here + 1) / 2);
    ties += here ** 3 - here;
    below += here;
    countBefore += earlier;
    countAfter += later;
  }
  const all = countBefore + countAfter;
  const variance = ((countBefore * countAfter) / 12) * (all + 1 - ties / (all * (all - 1)));
  if (!(variance > 0)) return 1;
  const distance = Math.abs(ranksAfter - (countAfter * (all + 1)) / 2);
  return Math.min(1, normalTails((distance - 0.5) / Math.sqrt(variance)));
}

export interface Share {
  hits: number;
  of: number;
}

/** Two-sided exact test (Fisher) of two shares: the sum of all tables that are at most as likely as this one. */
export function fisherTest(before: Share, after: Share): number {
  const [hits, all] = [before.hits + after.hits, before.of + after.of];
  const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);
  const logAll = logChoose(all, hits);
  const likelihood = (hitsAfter: number): number =>
    Math.exp(logChoose(after.of, hitsAfter) + logChoose(before.of, hits - hitsAfter) - logAll);
  // Tables that are equally likely may differ by rounding.
  const most = likelihood(after.hits) * (1 + 1e-7);
  let sum = 0;
  for (let each = Math.max(0, hits - before.of); each <= Math.min(hits, after.of); each += 1) {
    const one = likelihood(each);
    if (one <= most) sum += one;
  }
  return Math.min(1, sum);
}

/**
 * The largest p that is significant when all of `all` were tested and the expected share of false ones among the significant is at
 * most `rate` (Benjamini and Hochberg). 0 when none is.
 */
export function discoveryLimit(all: readonly number[], rate: number): number {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted.findLast((p, index) => p <= (rate * (index + 1)) / sorted.length) ?? 0;
}

/** The probability that the largest distance of a Brownian bridge from 0 exceeds `distance` (Kolmogorov's distribution). */
export function kolmogorovTail(distance: number): number {
  if (distance < 0.3) return 1;
  let sum = 0;
  for (let each = 1; each <= 20; each += 1)
    sum += (each % 2 === 1 ? 2 : -2) * Math.exp(-2 * (each * distance) ** 2);
  return Math.min(1, Math.max(0, sum));
}

/** The ranks of values from 1. Equal values share the middle of theirs. */
export function ranksOf(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => values[a]! - values[b]!);
  const ranks = values.map(() => 0);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && values[order[end]!] === values[order[start]!]) end += 1;
    for (const index of order.slice(start, end)) ranks[index] = (start + 1 + end) / 2;
    start = end;
  }
  return ranks;
}

/** The probability outside of ±z in the standard normal distribution. A Chebyshev fit of erfc, exact within 1.2e-7 of its value. */
function normalTails(z: number): number {
  if (z <= 0) return 1;
  const x = z / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const fit = [
    1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ].reduceRight((sum, factor) => factor + t * sum, 0);
  return t * Math.exp(-x * x - 1.26551223 + t * fit);
}

const knownFactorials = [0];

function logFactorial(n: number): number {
  if (n > 256) {
    // Stirling's series, exact to the last digits from here on.
    return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);
  }
  for (let each = knownFactorials.length; each <= n; each += 1)
    knownFactorials.push(knownFactorials[each - 1]! + Math.log(each));
  return knownFactorials[n]!;
}
