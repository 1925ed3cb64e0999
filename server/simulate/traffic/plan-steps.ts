import type { World } from './world.ts';
import type { JobTemplate } from './workflows.ts';

export interface StepPlan {
  name: string;
  number: number;
  startedAt: number;
  completedAt: number;
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped';
}

export type JobOutcome = 'success' | 'failure' | 'timed_out';

interface Draft {
  name: string;
  /** Share of the job's duration. */
  weight: number;
  conclusion: StepPlan['conclusion'];
}

const before = [
  { name: 'Set up job', weight: 1 },
  { name: 'Run actions/checkout@v5', weight: 1 },
  { name: 'Run actions/setup-node@v6', weight: 1 },
  { name: 'Install dependencies', weight: 6 },
] as const;

const after = ['Post Run actions/setup-node@v6', 'Post Run actions/checkout@v5', 'Complete job'] as const;

/**
 * Steps of a job that completes, one after the other from `startedAt`. A failure or timeout happens in one of the job's own
 * steps. Later steps are skipped, and the clean-up still runs.
 */
export function planSteps(
  world: World,
  template: JobTemplate,
  startedAt: number,
  outcome: JobOutcome,
): StepPlan[] {
  const drafts = draftSteps(world, template, outcome);
  const total = world.elapse(...template.seconds);
  const full = drafts.reduce((sum, { weight }) => sum + weight, 0);
  let at = startedAt;
  return drafts.map(({ name, weight, conclusion }, index) => {
    const step = {
      name,
      number: stepNumber(index, drafts.length),
      startedAt: at,
      completedAt: at,
      conclusion,
    };
    if (conclusion !== 'skipped') step.completedAt = at = at + (total * weight) / full;
    return step;
  });
}

function draftSteps({ random }: World, template: JobTemplate, outcome: JobOutcome): Draft[] {
  const failingStep = outcome === 'success' ? Infinity : random.int(0, template.steps.length - 1);
  const own = template.steps.map((name, index): Draft => {
    const weight = random.between(5, 40);
    if (index > failingStep) return { name, weight, conclusion: 'skipped' };
    if (index < failingStep) return { name, weight, conclusion: 'success' };
    // The step that exceeds the limit is the longest.
    return outcome === 'timed_out'
      ? { name, weight: weight * 3, conclusion: 'cancelled' }
      : { name, weight, conclusion: 'failure' };
  });
  return [
    ...before.map((step): Draft => ({ ...step, conclusion: 'success' })),
    ...own,
    ...after.map((name): Draft => ({ name, weight: 0.3, conclusion: 'success' })),
  ];
}

/** GitHub numbers clean-up steps as if every earlier step had one, so numbers are missing. */
function stepNumber(index: number, count: number): number {
  const firstAfter = count - after.length;
  return index < firstAfter ? index + 1 : index + 1 + (firstAfter - before.length);
}

/** The steps of a job that is cancelled at `at`: the running step is cancelled, the rest is skipped. */
export function cutSteps(steps: readonly StepPlan[], at: number): StepPlan[] {
  return steps.map((step) => {
    if (step.completedAt <= at) return step;
    if (step.startedAt < at) return { ...step, completedAt: at, conclusion: 'cancelled' };
    return { ...step, startedAt: at, completedAt: at, conclusion: 'skipped' };
  });
}
