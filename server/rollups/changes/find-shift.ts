import { kolmogorovTail, ranksOf } from './statistics.ts';

/** A range with more of the values than this says nothing. */
const widestRange = 3 / 4;

/** Where a level rose in a sequence: positions that may be the first one of the new level. */
export interface Shift {
  first: number;
  /** The most likely one. */
  best: number;
  last: number;
}

/** A moment is named only if it is this unlikely in a sequence whose order means nothing. */
const significance = 0.05;
/** The fewest values on each side. */
const minimumSide = 5;
/** A position is possible unless its likelihood is lower than the best one's by this factor, as a logarithm. In simulations the range misses 1 of 60 moments. */
const likelihoodDrop = 6;

/**
 * Finds the moment at which the values rose, or undefined if the order of the values does not show one. The significance is that of
 * the largest deviation of the cumulative ranks (CUSUM), which needs no assumption about the values and accounts for the number of
 * positions that were tried. The positions are those whose likelihood is close to that of the best one.
 */
export function findShift(values: readonly number[]): Shift | undefined {
  const count = values.length;
  if (count < 2 * minimumSide) return undefined;
  const isBinary = values.every((value) => value === 0 || value === 1);
  const levels = isBinary ? values : ranksOf(values);
  const sums = [0];
  let squares = 0;
  for (const level of levels) {
    sums.push(sums.at(-1)! + level);
    squares += level * level;
  }
  const all = sums[count]!;
  const spread = squares - (all * all) / count;
  if (spread <= 0) return undefined;
  const deviationAt = (position: number): number => (position * all) / count - sums[position]!;
  const gainAt = (position: number): number =>
    Math.max(0, deviationAt(position)) / Math.sqrt(position * (count - position));
  const positions = Array.from({ length: count - 2 * minimumSide + 1 }, (_, index) => index + minimumSide);
  const largest = Math.max(...positions.map(deviationAt));
  if (kolmogorovTail(largest / Math.sqrt(spread)) > significance) return undefined;

  const split = positions.reduce((best, position) => (gainAt(position) > gainAt(best) ? position : best));
  const likelihoods = isBinary ? likelihoodsOfShares(values, sums) : likelihoodsOfLevels(values, split);
  const rising = positions.map((position) =>
    deviationAt(position) > 0 ? likelihoods(position) : Number.NEGATIVE_INFINITY,
  );
  const most = Math.max(...rising);
  const possible = positions.filter((_, index) => rising[index]! >= most - likelihoodDrop);
  const [first, last] = [possible[0]!, possible.at(-1)!];
  if (last - first >= count * widestRange) return undefined;
  return { first, best: positions[rising.indexOf(most)]!, last };
}

/** The logarithm of the likelihood that the share of ones moved at a position. */
function likelihoodsOfShares(
  values: readonly number[],
  sums: readonly number[],
): (position: number) => number {
  const [count, all] = [values.length, sums.at(-1)!];
  return (position) =>
    logLikelihood(sums[position]!, position) + logLikelihood(all - sums[position]!, count - position);
}

/** A single value, however far from its level, is evidence of at most this much. */
const mostEvidence = 8;
/** Durations of one level scatter by at least this share. */
const leastScatter = 0.01;

/**
 * The same for durations: normal in their logarithms around the median of each side of `split`, apart from outliers. The scatter is
 * that of the median deviation.
 */
function likelihoodsOfLevels(values: readonly number[], split: number): (position: number) => number {
  const logs = values.map((value) => Math.log(Math.max(1, value)));
  const [low, high] = [medianOf(logs.slice(0, split)), medianOf(logs.slice(split))];
  const distances = logs.map((value, index) => Math.abs(value - (index < split ? low : high)));
  const scatter = Math.max(leastScatter, 1.4826 * medianOf(distances));
  const lossOf = (value: number, level: number): number =>
    Math.min(mostEvidence, ((value - level) / scatter) ** 2 / 2);
  const evidence = [0];
  for (const value of logs) evidence.push(evidence.at(-1)! + lossOf(value, high) - lossOf(value, low));
  return (position) => evidence[position]!;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Of so many hits, each as likely as their share. */
function logLikelihood(hits: number, of: number): number {
  const part = (number: number): number => (number === 0 ? 0 : number * Math.log(number / of));
  return part(hits) + part(of - hits);
}
