import type { MetricNumbers } from '#contract/metrics/metrics.ts';
import { quantileMs } from '#server/rollups/histograms.ts';
import type { Group, Sums } from '#server/rollups/dashboards/aggregate-store.ts';

/** The numbers of one group from the sums of its runs and jobs. Missing sums give zero or null. */
export function metricNumbers(runs: Sums | undefined, jobs: Sums | undefined): MetricNumbers {
  const [succeeded, failed] = [runs?.succeeded ?? 0, runs?.failed ?? 0];
  const [durations, queueTimes] = [runs?.durations ?? [], jobs?.queueTimes ?? []];
  return {
    runs: runs?.count ?? 0,
    succeeded,
    failed,
    successRate: successRate(succeeded, failed),
    reruns: runs?.reruns ?? 0,
    recovered: runs?.recovered ?? 0,
    durationP50Ms: quantileMs(durations, 0.5),
    durationP95Ms: quantileMs(durations, 0.95),
    queueP50Ms: quantileMs(queueTimes, 0.5),
    queueP95Ms: quantileMs(queueTimes, 0.95),
    billableMinutes: jobs?.billableMinutes ?? 0,
  };
}

/** Null when nothing succeeded or failed. */
export function successRate(succeeded: number, failed: number): number | null {
  return succeeded + failed === 0 ? null : succeeded / (succeeded + failed);
}

/** A workflow with fewer durations in either period does not speak for how long it takes. */
const fewestOfWorkflow = 5;

/**
 * The durations and results of the workflows that both periods have, as if each had run as often before as it does in the later
 * period: otherwise a nightly that fell into one period only would look like a change. */
export function likeWithLike(
  after: readonly Sums[],
  before: readonly Sums[],
): Record<'after' | 'before', ComparedNumbers> {
  const earlier = byName(before);
  const pairs = after.flatMap((later) => {
    const known = earlier.get(keyOf(later));
    return known === undefined ? [] : [{ later, known }];
  });
  const measured = (sums: Sums) => sums.durations.reduce((sum, count = 0) => sum + count, 0);
  const decided = (sums: Sums) => sums.succeeded + sums.failed;
  const sides = { after: emptyNumbers(), before: emptyNumbers() };
  for (const { later, known } of pairs) {
    if (Math.min(measured(later), measured(known)) >= fewestOfWorkflow) {
      addWeighted(sides.after.durations, later.durations, 1);
      addWeighted(sides.before.durations, known.durations, measured(later) / measured(known));
    }
    if (Math.min(decided(later), decided(known)) >= fewestOfWorkflow) {
      const weight = decided(later) / decided(known);
      sides.after.succeeded += later.succeeded;
      sides.after.failed += later.failed;
      sides.after.recovered += later.recovered;
      sides.before.succeeded += known.succeeded * weight;
      sides.before.failed += known.failed * weight;
      sides.before.recovered += known.recovered * weight;
    }
  }
  return sides;
}

type ComparedNumbers = Pick<Sums, 'succeeded' | 'failed' | 'recovered' | 'durations'>;

const emptyNumbers = (): ComparedNumbers => ({
  succeeded: 0,
  failed: 0,
  recovered: 0,
  durations: [],
});

function addWeighted(sum: number[], counts: readonly number[], weight: number): void {
  counts.forEach((count, bucket) => {
    sum[bucket] = (sum[bucket] ?? 0) + count * weight;
  });
}

export function byName<G extends Group>(groups: readonly G[]): Map<string, G> {
  return new Map(groups.map((group) => [keyOf(group), group]));
}

export function keyOf({ repository, workflow, job, runner, branch }: Group): string {
  return JSON.stringify([repository ?? null, workflow ?? null, job ?? null, runner ?? null, branch ?? null]);
}

/** At most `most` items with a value above zero, largest value first. */
export function largestFirst<T>(list: readonly T[], valueOf: (item: T) => number, most: number): T[] {
  return list
    .filter((item) => valueOf(item) > 0)
    .sort((a, b) => valueOf(b) - valueOf(a))
    .slice(0, most);
}
