import type { MetricNumbers } from '#contract/metrics.ts';
import type { Group, Spread, Sums } from './rollup-store.ts';

/** The same groupings of what runs and jobs add up to. */
export interface Parts {
  runs: readonly Sums[];
  durations: readonly Spread[];
  jobs: readonly Sums[];
  queueTimes: readonly Spread[];
}

type GroupName = Pick<Group, 'grouping'> & Partial<Group>;

/** Answers the numbers of one group; zero and null where nothing is known of it. */
export function makeNumbers(parts: Parts): (name: GroupName) => MetricNumbers {
  const [runs, durations] = [byName(parts.runs), byName(parts.durations)];
  const [jobs, queueTimes] = [byName(parts.jobs), byName(parts.queueTimes)];
  return (name) => {
    const key = keyOf(name);
    const run = runs.get(key);
    const [succeeded, failed] = [run?.succeeded ?? 0, run?.failed ?? 0];
    return {
      runs: run?.count ?? 0,
      succeeded,
      failed,
      successRate: successRate(succeeded, failed),
      reruns: run?.reruns ?? 0,
      durationP50Ms: durations.get(key)?.p50Ms ?? null,
      durationP95Ms: durations.get(key)?.p95Ms ?? null,
      queueP50Ms: queueTimes.get(key)?.p50Ms ?? null,
      queueP95Ms: queueTimes.get(key)?.p95Ms ?? null,
      billableMinutes: jobs.get(key)?.billableMinutes ?? 0,
    };
  };
}

/** Null when nothing either succeeded or failed. */
export function successRate(succeeded: number, failed: number): number | null {
  return succeeded + failed === 0 ? null : succeeded / (succeeded + failed);
}

export function byName<G extends Group>(groups: readonly G[]): Map<string, G> {
  return new Map(groups.map((group) => [keyOf(group), group]));
}

export function keyOf({ grouping, at, repository, workflow, runner, branch }: GroupName): string {
  return JSON.stringify([
    grouping,
    at ?? null,
    repository ?? null,
    workflow ?? null,
    runner ?? null,
    branch ?? null,
  ]);
}

/** The `most` with the largest values, largest first; none without any. */
export function mostFirst<T>(list: readonly T[], valueOf: (item: T) => number, most: number): T[] {
  return list
    .filter((item) => valueOf(item) > 0)
    .sort((a, b) => valueOf(b) - valueOf(a))
    .slice(0, most);
}
