import { isDecided, isRed, isWithoutResult } from '#contract/runs/conclusions.ts';
import { bucketMiddleMs } from '../../histogram-buckets.ts';
import { addCounts } from '../../histograms.ts';
import type { Found } from '../compare-periods.ts';
import type { Step } from '../find-shift.ts';
import type { RunAround } from '../runs-around-store.ts';
import type { SeriesName, StepSums } from './steps-store.ts';

/** The series that a change is searched in. Minutes are those of jobs. */
export function seriesOf({ repository, workflow, job, kind }: Found): SeriesName {
  return { kind: job === null && kind !== 'costlier' ? 'run' : 'job', repository, workflow, job };
}

/** Minutes are a sum of days. The other changes are found hour by hour and run by run. */
export function isFoundInRuns({ kind }: Found): boolean {
  return kind !== 'costlier';
}

/** The fewest runs, or days with minutes, on each side of a moment. */
export function minimumOf({ kind }: Found): number {
  return kind === 'costlier' ? 2 : 5;
}

type Numbers = Pick<StepSums, 'decided' | 'failed' | 'recovered' | 'minutes' | 'durations'>;

export function addUp(parts: readonly Numbers[]): Numbers {
  const sum = (name: Exclude<keyof Numbers, 'durations'>) =>
    parts.reduce((total, part) => total + part[name], 0);
  return {
    decided: sum('decided'),
    failed: sum('failed'),
    recovered: sum('recovered'),
    minutes: sum('minutes'),
    durations: addCounts(parts.map(({ durations }) => durations)),
  };
}

/** What counts as a hit: slower than halfway between both periods, failed, recovered, or a day above halfway. */
export function stepOf(change: Found, sums: Numbers, steps = 1): Step {
  const { kind } = change;
  if (kind === 'costlier') return { hits: Number(sums.minutes > halfway(change) / steps), total: 1 };
  if (kind === 'failing') return { hits: sums.failed, total: sums.decided };
  if (kind === 'flakier') return { hits: sums.recovered, total: sums.decided };
  const step = { hits: 0, total: 0 };
  for (const [bucket, count = 0] of sums.durations.entries()) {
    step.total += count;
    if (bucketMiddleMs(bucket) > halfway(change)) step.hits += count;
  }
  return step;
}

/** The same for one run, which no other hit can be. */
export function runStepOf(change: Found, run: RunAround): Step {
  if (change.kind === 'failing')
    return { hits: Number(isRed(run.conclusion)), total: Number(isDecided(run.conclusion)) };
  if (change.kind === 'flakier')
    return {
      hits: Number(run.attempt > 1 && run.conclusion === 'success'),
      total: Number(isDecided(run.conclusion)),
    };
  const { durationMs, conclusion } = run;
  if (durationMs === null || isWithoutResult(conclusion)) return { hits: 0, total: 0 };
  return { hits: Number(durationMs > halfway(change)), total: 1 };
}

/** Between both levels. Durations differ by factors, so their middle is the geometric one. */
function halfway({ before, after, measure }: Found): number {
  const [low, high] = [before[measure] ?? 0, after[measure] ?? 0];
  return measure === 'billableMinutes' ? (low + high) / 2 : Math.sqrt(Math.max(low, 1) * high);
}
