import type { Job, Step } from '../payload/job.ts';
import type { Conclusion } from '../payload/run.ts';
import type { JobTemplate } from './workflows.ts';
import { stableNumber } from '../random.ts';
import type { World } from './world.ts';

/**
 * Plans the jobs of one attempt, stage by stage. When the attempt fails or times out, it does so in the job `failing`, and later
 * stages are skipped.
 */
export function planJobs(
  world: World,
  templates: readonly JobTemplate[],
  from: number,
  conclusion: Conclusion,
  failing: JobTemplate | undefined,
): Job[] {
  if (conclusion === 'action_required') return [];
  const stages = Map.groupBy(templates, ({ stage }) => stage);
  const jobs: Job[] = [];
  let isBroken = conclusion === 'skipped';
  for (const stage of [...stages.keys()].sort((a, b) => a - b)) {
    const begin = Math.max(from, ...jobs.map(({ completedAt }) => completedAt)) + world.elapse(0.5, 2);
    const planned = (stages.get(stage) ?? []).map((template) => {
      if (isBroken) return skippedJob(world, template, begin);
      const ending = template === failing && conclusion !== 'cancelled' ? conclusion : 'success';
      return workingJob(world, template, begin, ending);
    });
    jobs.push(...planned);
    isBroken ||= planned.some((job) => job.conclusion !== 'success');
  }
  if (conclusion !== 'cancelled') return jobs;
  const end = Math.max(...jobs.map(({ completedAt }) => completedAt));
  const at = from + (end - from) * world.random.between(0.2, 0.8);
  return jobs.map((job) => cancelJob(job, at));
}

function skippedJob(world: World, template: JobTemplate, at: number): Job {
  const never = { createdAt: at, approvedAt: null, startedAt: null, completedAt: at };
  return { id: world.nextId(), template, conclusion: 'skipped', ...never, steps: [] };
}

/** An approval comes at least two seconds later, so that `deployment.updated_at` orders the events. */
function workingJob(world: World, template: JobTemplate, createdAt: number, conclusion: Conclusion): Job {
  const isGated = template.environment === 'production';
  const approvedAt = isGated ? createdAt + 4000 + world.elapse(5, 60) : null;
  const startedAt = (approvedAt ?? createdAt) + world.elapse(1, template.runner === 'self-hosted' ? 30 : 8);
  const steps = planSteps(world, template, startedAt, conclusion);
  const completedAt = (steps.at(-1)?.completedAt ?? startedAt) + world.elapse(0.2, 1);
  return { id: world.nextId(), template, conclusion, createdAt, approvedAt, startedAt, completedAt, steps };
}

const before = ['Set up job', 'Run actions/checkout@v5', 'Install dependencies'];
const after = ['Post Run actions/checkout@v5', 'Complete job'];

/** Steps one after the other. A failure or timeout happens in one of the job's own steps. The clean-up still runs. */
function planSteps(world: World, template: JobTemplate, startedAt: number, conclusion: Conclusion): Step[] {
  const names = [...before, ...template.steps, ...after];
  const broken =
    conclusion === 'success'
      ? Infinity
      : before.length + stableNumber(template.name, 0, template.steps.length);
  const seconds = world.elapse(...template.seconds) / names.length;
  let at = startedAt;
  return names.map((name, index) => {
    const isSkipped = index > broken && index < before.length + template.steps.length;
    const begunAt = at;
    if (!isSkipped) at += seconds;
    const ending = conclusion === 'timed_out' ? 'cancelled' : 'failure';
    return {
      name,
      startedAt: begunAt,
      completedAt: at,
      conclusion: isSkipped ? 'skipped' : index === broken ? ending : 'success',
    };
  });
}

/** A running step is cancelled, later steps are skipped, and a job that waits never starts. */
function cancelJob(job: Job, at: number): Job {
  if (job.completedAt <= at) return job;
  const cancelled = { ...job, conclusion: 'cancelled', completedAt: at } as const;
  if (job.startedAt === null || job.startedAt >= at) {
    const createdAt = Math.min(job.createdAt, at);
    return { ...cancelled, createdAt, approvedAt: null, startedAt: null, steps: [] };
  }
  const steps = job.steps.map((step): Step => {
    if (step.completedAt <= at) return step;
    const isRunning = step.startedAt < at;
    const startedAt = Math.min(step.startedAt, at);
    return { ...step, startedAt, completedAt: at, conclusion: isRunning ? 'cancelled' : 'skipped' };
  });
  return { ...cancelled, steps };
}
