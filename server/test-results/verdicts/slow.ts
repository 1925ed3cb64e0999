import { changeThresholds, falseDiscoveryRate } from '#contract/metrics/changes.ts';
import { discoveryLimit } from '#server/rollups/changes/statistics.ts';

/** How long a test took on the default branch: the mean of its passes, by day. */
export interface DayMeans {
  testId: string;
  before: readonly number[];
  after: readonly number[];
}

export interface SlowTest {
  testId: string;
  /** Medians of the days. */
  fromMs: number;
  toMs: number;
}

/** A smaller difference is of no interest, however sure. */
const leastMs = 100;

/**
 * The tests that became significantly slower among all that are compared. The days of each test are compared by their ranks, so one slow day or
 * a faster machine on some days is no change.
 */
export function slowTests(tests: readonly DayMeans[]): SlowTest[] {
  const compared = tests.map(({ testId, before, after }) => {
    const [fromMs, toMs] = [medianOf(before), medianOf(after)];
    const isLarger = toMs - fromMs >= leastMs && toMs >= fromMs * (1 + changeThresholds.share);
    return { testId, fromMs, toMs, probability: isLarger ? rankProbability(before, after) : 1 };
  });
  const limit = discoveryLimit(
    compared.map(({ probability }) => probability),
    falseDiscoveryRate,
  );
  return compared
    .filter(({ probability }) => probability <= limit)
    .map(({ testId, fromMs, toMs }) => ({ testId, fromMs: Math.round(fromMs), toMs: Math.round(toMs) }));
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/**
 * Two-sided exact rank-sum test. With so few days the normal approximation never gets below 1 in 10,000, which says nothing among
 * thousands of tests. Ties count half, rounded to the cautious side.
 */
export function rankProbability(before: readonly number[], after: readonly number[]): number {
  let wins = 0;
  for (const later of after)
    for (const earlier of before) wins += later > earlier ? 1 : later === earlier ? 0.5 : 0;
  const ways = waysOfWins(before.length, after.length);
  const all = ways.reduce((sum, each) => sum + each, 0);
  const extreme = Math.max(Math.floor(wins), Math.floor(before.length * after.length - wins));
  return Math.min(1, (2 * ways.slice(extreme).reduce((sum, each) => sum + each, 0)) / all);
}

const knownWays = new Map<string, number[]>();

/** In how many orders of both sides the later one wins so often: the coefficients of the Gaussian binomial. */
function waysOfWins(before: number, after: number): number[] {
  const key = `${before} ${after}`;
  const known = knownWays.get(key);
  if (known !== undefined) return known;
  const ways = Array.from({ length: before * after + 1 }, (_, wins) => (wins === 0 ? 1 : 0));
  for (let each = 1; each <= after; each += 1) {
    for (let wins = ways.length - 1; wins >= before + each; wins -= 1)
      ways[wins]! -= ways[wins - before - each]!;
    for (let wins = each; wins < ways.length; wins += 1) ways[wins]! += ways[wins - each]!;
  }
  knownWays.set(key, ways);
  return ways;
}
