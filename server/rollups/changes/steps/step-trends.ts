import type { StepNumbers, StepTrend } from '#contract/metrics/steps.ts';
import { bucketOf } from '../../histogram-buckets.ts';
import type { Counts } from '../../histograms.ts';
import type { Measured } from '../compare-periods.ts';
import type { StepSample } from './job-steps-store.ts';

/** A step in both periods. */
export interface ComparedStep {
  job: string;
  step: string;
  before: StepSample | undefined;
  after: StepSample;
}

/** The steps of the later period by the position of their job or workflow in the list. */
export function pairSteps(samples: readonly StepSample[]): Map<number, ComparedStep[]> {
  const keyOf = ({ index, job, step }: StepSample): string => JSON.stringify([index, job, step]);
  const earlier = new Map(samples.filter(({ isAfter }) => !isAfter).map((one) => [keyOf(one), one]));
  return Map.groupBy(
    samples
      .filter(({ isAfter }) => isAfter)
      .map((after) => ({ job: after.job, step: after.step, before: earlier.get(keyOf(after)), after })),
    ({ after }) => after.index,
  );
}

export function trendOf({ job, step, before, after }: ComparedStep): StepTrend {
  return { job, step, before: before === undefined ? null : numbersOf(before), after: numbersOf(after) };
}

function numbersOf({ runs, failed, decided, p50, p95 }: StepSample): StepNumbers {
  return {
    runs,
    failed,
    failedShare: decided === 0 ? null : failed / decided,
    durationP50Ms: p50,
    durationP95Ms: p95,
  };
}

/** The numbers of a step as the rules compare them. */
export function measuredOf({ decided, failed, durationsMs, p50 }: StepSample): Measured {
  const durations: Counts = [];
  for (const ms of durationsMs) durations[bucketOf(ms)] = (durations[bucketOf(ms)] ?? 0) + 1;
  return { decided, failed, durations, measured: durationsMs.length, durationP50Ms: p50 };
}
