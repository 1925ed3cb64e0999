import type { StepNumbers, StepTrend } from '#contract/metrics/steps.ts';
import { failingRule, slowerRule, type Measured } from '../compare-periods.ts';
import type { StepSample } from './job-steps-store.ts';

/** A step in both periods. */
export interface ComparedStep {
  job: string;
  step: string;
  before: StepSample | undefined;
  after: StepSample;
}

/** The steps of the later period by the position of their job or workflow in the list. */
export function compareSteps(samples: readonly StepSample[]): Map<number, ComparedStep[]> {
  const earlier = new Map(samples.filter(({ isAfter }) => !isAfter).map((one) => [keyOf(one), one]));
  const steps = samples
    .filter(({ isAfter }) => isAfter)
    .map((after) => ({ after, before: earlier.get(keyOf(after)) }));
  return new Map(
    [...Map.groupBy(steps, ({ after }) => after.index)].map(([index, list]) => [
      index,
      list.map(({ before, after }) => ({ job: after.job, step: after.step, before, after })),
    ]),
  );
}

const keyOf = ({ index, job, step }: StepSample): string => JSON.stringify([index, job, step]);

const maxShown = 3;

/** The steps that explain a job that became slower or fails more: those that changed most, in milliseconds or shares. */
export function stepsBehind(kind: 'slower' | 'failing', steps: readonly ComparedStep[]): StepTrend[] {
  const rule = kind === 'slower' ? slowerRule : failingRule;
  return steps
    .flatMap((step) => {
      if (step.before === undefined) return [];
      const [before, after] = [measuredOf(step.before), measuredOf(step.after)];
      const measure = rule(before, after)?.measure;
      if (measure === undefined) return [];
      return [{ step, added: (after[measure] ?? 0) - (before[measure] ?? 0) }];
    })
    .toSorted((a, b) => b.added - a.added)
    .slice(0, maxShown)
    .map(({ step }) => trendOf(step));
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

const measuredOf = (sample: StepSample): Measured => ({
  ...numbersOf(sample),
  decided: sample.decided,
  measured: sample.measured,
});
