import {
  changeKinds,
  changeThresholds as least,
  falseDiscoveryRate,
  minimumRuns,
  type ChangeKind,
  type ChangeNumbers,
} from '#contract/metrics/changes.ts';
import type { Counts } from '../histograms.ts';
import { discoveryLimit, fisherTest, rankSumTest } from './statistics.ts';

/** A workflow or job in both periods. */
export interface Compared {
  repository: string;
  workflow: string;
  job: string | null;
  before: PeriodNumbers;
  after: PeriodNumbers;
}

export interface PeriodNumbers extends ChangeNumbers {
  /** Durations of runs that were neither cancelled nor skipped. */
  durations: Counts;
  /** How many. */
  measured: number;
}

/** A comparison of one kind. `effect` is by how much it rose, in its own unit. */
export interface Comparison<Item> {
  item: Item;
  kind: ChangeKind;
  effect: number;
  probability: number;
}

/** A change that is listed. */
export interface Found extends Compared {
  kind: ChangeKind;
  effect: number;
  probability: number;
}

/** The numbers of a run, a job or one of its steps that the first two rules compare. */
export type Measured = Pick<PeriodNumbers, 'decided' | 'measured' | 'failed' | 'durationP50Ms' | 'durations'>;

interface Sides<Numbers> {
  before: Numbers;
  after: Numbers;
}

type Outcome = Pick<Comparison<unknown>, 'effect' | 'probability'>;

/** Too few runs: not compared at all. */
const tooFew = undefined;
/** Compared, and not worse by enough to be listed: the most cautious probability. */
const notWorse: Outcome = { effect: 0, probability: 1 };

/** Compares durations. */
export function compareDurations(
  { before, after }: Sides<Measured>,
  fewest = minimumRuns,
): Outcome | undefined {
  if (Math.min(before.measured, after.measured) < fewest) return tooFew;
  const [low, high] = [before.durationP50Ms ?? 0, after.durationP50Ms ?? 0];
  if (high - low < least.durationMs || high < low * (1 + least.share)) return notWorse;
  return { effect: high / Math.max(low, 1) - 1, probability: rankSumTest(before.durations, after.durations) };
}

/** Compares the shares of runs that failed. */
export function compareFailures(
  { before, after }: Sides<Pick<Measured, 'decided' | 'failed'>>,
  fewest = minimumRuns,
): Outcome | undefined {
  return compareShares(
    { hits: before.failed, of: before.decided },
    { hits: after.failed, of: after.decided },
    least.failedShare,
    fewest,
  );
}

function compareShares(
  before: { hits: number; of: number },
  after: { hits: number; of: number },
  minimum: number,
  fewest = minimumRuns,
): Outcome | undefined {
  if (Math.min(before.of, after.of) < fewest) return tooFew;
  const [low, high] = [before.hits / before.of, after.hits / after.of];
  if (high - low < minimum || high < low * (1 + least.share)) return notWorse;
  // A job can be re-run successfully more often than it has decided runs of its own in the period.
  const within = ({ hits, of }: typeof before) => ({ hits: Math.min(hits, of), of });
  return { effect: high - low, probability: fisherTest(within(before), within(after)) };
}

const rules = {
  failing: (sides) => compareFailures(sides),
  flakier: ({ before, after }) =>
    compareShares(
      { hits: before.recovered, of: before.decided },
      { hits: after.recovered, of: after.decided },
      least.recoveredShare,
    ),
  slower: (sides) => compareDurations(sides),
} satisfies Record<Exclude<ChangeKind, 'costlier'>, (sides: Sides<PeriodNumbers>) => Outcome | undefined>;

/** All comparisons of durations and shares. */
export function compareAll(items: readonly Compared[]): Comparison<Compared>[] {
  return items.flatMap((item) =>
    (['failing', 'flakier', 'slower'] as const).flatMap((kind) => {
      const outcome = rules[kind](item);
      return outcome === undefined ? [] : [{ item, kind, ...outcome }];
    }),
  );
}

/** Workflows and jobs whose minutes rose by enough to be listed, if their days confirm it. */
export function hasMoreMinutes({ before, after }: Sides<Pick<PeriodNumbers, 'billableMinutes'>>): boolean {
  const added = after.billableMinutes - before.billableMinutes;
  return added >= least.minutes && added >= before.billableMinutes * least.share;
}

/** Compares the minutes of days. */
export function compareMinutes(
  item: Compared,
  before: readonly number[],
  after: readonly number[],
): Comparison<Compared> {
  const countsOf = (minutes: readonly number[]): Counts => {
    const counts: Counts = [];
    for (const each of minutes) counts[each] = (counts[each] ?? 0) + 1;
    return counts;
  };
  return {
    item,
    kind: 'costlier',
    effect: item.after.billableMinutes - item.before.billableMinutes,
    probability: rankSumTest(countsOf(before), countsOf(after)),
  };
}

/** The significant comparisons among all that were made, by kind, the largest first. */
export function significantOnes<Item>(comparisons: readonly Comparison<Item>[]): Comparison<Item>[] {
  const limit = discoveryLimit(
    comparisons.map(({ probability }) => probability),
    falseDiscoveryRate,
  );
  return comparisons
    .filter(({ effect, probability }) => effect > 0 && probability <= limit)
    .toSorted((a, b) => changeKinds.indexOf(a.kind) - changeKinds.indexOf(b.kind) || b.effect - a.effect);
}

/** Whether any comparison is possible. */
export function isComparable({ before, after }: Compared): boolean {
  return Math.min(before.runs, after.runs) >= minimumRuns;
}
