import type { Sums } from '../dashboards/aggregate-store.ts';
import { quantileMs } from '../histograms.ts';
import type { Compared, PeriodNumbers } from './compare-periods.ts';
import type { RecoveredJobs } from './recovered-jobs-store.ts';

/** The sums of one period: runs by workflow, jobs by name. */
export interface PeriodSums {
  runs: readonly Sums[];
  jobs: readonly Sums[];
}

/** The workflows and jobs of the later period that also occur in the earlier one, with their numbers in both. */
export function comparedItems(
  before: PeriodSums,
  after: PeriodSums,
  recovered: { before: readonly RecoveredJobs[]; after: readonly RecoveredJobs[] },
): Compared[] {
  const earlier = numbersByName(before, recovered.before);
  const items: Compared[] = [];
  for (const [key, numbers] of numbersByName(after, recovered.after)) {
    const known = earlier.get(key);
    if (known !== undefined) items.push({ ...readKey(key), before: known, after: numbers });
  }
  return items;
}

function numbersByName(
  { runs, jobs }: PeriodSums,
  recovered: readonly RecoveredJobs[],
): Map<string, PeriodNumbers> {
  const minutes = new Map<string, number>();
  for (const sums of jobs) {
    const key = keyOf({ ...sums, job: null });
    minutes.set(key, (minutes.get(key) ?? 0) + sums.billableMinutes);
  }
  const flips = new Map<string, number>();
  for (const each of recovered) flips.set(keyOf(each), (flips.get(keyOf(each)) ?? 0) + each.recovered);
  return new Map([
    ...runs.map((sums) => {
      const key = keyOf(sums);
      return [key, numbersOf(sums, sums.recovered, minutes.get(key) ?? 0)] as const;
    }),
    ...jobs.map((sums) => {
      const key = keyOf(sums);
      return [key, numbersOf(sums, flips.get(key) ?? 0, sums.billableMinutes)] as const;
    }),
  ]);
}

function numbersOf(sums: Sums, recovered: number, billableMinutes: number): PeriodNumbers {
  const decided = sums.succeeded + sums.failed;
  const share = (part: number) => (decided === 0 ? null : part / decided);
  return {
    runs: sums.count,
    failed: sums.failed,
    failedShare: share(sums.failed),
    recovered,
    recoveredShare: share(recovered),
    durationP50Ms: quantileMs(sums.durations, 0.5),
    durationP95Ms: quantileMs(sums.durations, 0.95),
    billableMinutes,
    decided,
    durations: sums.durations,
    measured: sums.durations.reduce((sum, count = 0) => sum + count, 0),
  };
}

interface Name {
  repository?: string;
  workflow?: string;
  job?: string | null;
}

export function keyOf({ repository, workflow, job }: Name): string {
  return JSON.stringify([repository ?? '', workflow ?? '', job ?? null]);
}

function readKey(key: string): Pick<Compared, 'repository' | 'workflow' | 'job'> {
  const [repository, workflow, job] = JSON.parse(key) as [string, string, string | null];
  return { repository, workflow, job };
}
