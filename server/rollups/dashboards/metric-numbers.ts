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
