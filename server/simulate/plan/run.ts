import type { PlannedEvent } from '../event.ts';
import { deploymentStatusPayload, type DeploymentState } from '../payload/deployment.ts';
import { jobPayload, type Job, type JobAction } from '../payload/job.ts';
import {
  runPayload,
  type Attempt,
  type Conclusion,
  type Run,
  type RunAction,
  type RunState,
  type Trigger,
} from '../payload/run.ts';
import { planJobs } from './jobs.ts';
import type { World } from './world.ts';

export interface RunPlan {
  events: PlannedEvent[];
  endsAt: number;
}

/**
 * Plans a run that is requested at `at`, with one attempt for each conclusion. A re-run repeats the jobs that did not succeed.
 * All failures happen in the same job, by default in a random one.
 */
export function planRun(
  world: World,
  trigger: Trigger,
  at: number,
  conclusions: readonly Conclusion[],
  failingJob?: string,
): RunPlan {
  const { name, jobs: all } = trigger.workflow;
  const number = world.nextNumber(`${trigger.repository.full.full_name}/${name}`);
  const run: Run = { ...trigger, id: world.nextId(), number, createdAt: at };
  const failing = all.find((template) => template.name === failingJob) ?? world.random.pick(all);
  const plan: RunPlan = { events: [], endsAt: at };
  let templates = all;
  let startedAt = at;
  for (const [index, conclusion] of conclusions.entries()) {
    const actor = index === 0 ? trigger.actor : world.random.pick(world.people);
    const jobs = planJobs(world, templates, startedAt, conclusion, failing);
    plan.endsAt = Math.max(startedAt, ...jobs.map((job) => job.completedAt)) + world.elapse(0.5, 2);
    const attempt = { number: index + 1, actor, startedAt };
    plan.events.push(...attemptEvents(world, run, attempt, jobs, conclusion, plan.endsAt));
    templates = jobs.filter((job) => job.conclusion !== 'success').map((job) => job.template);
    startedAt = plan.endsAt + 1000 + world.elapse(5, 60);
  }
  return plan;
}

function attemptEvents(
  world: World,
  run: Run,
  attempt: Attempt,
  jobs: readonly Job[],
  conclusion: Conclusion,
  endsAt: number,
): PlannedEvent[] {
  const event = (action: RunAction, at: number, state: Omit<RunState, 'updatedAt'>): PlannedEvent => ({
    at,
    build: () => ({
      eventType: 'workflow_run',
      payload: runPayload(action, run, attempt, { ...state, updatedAt: at }),
    }),
  });
  const completed = { status: 'completed', conclusion } as const;
  // A run from a fork that needs approval is completed, with a conclusion, before it starts.
  const first =
    conclusion === 'action_required' ? completed : ({ status: 'queued', conclusion: null } as const);
  const begins = jobs.flatMap(({ startedAt }) => startedAt ?? []);
  return [
    event('requested', attempt.startedAt, first),
    ...(begins.length === 0
      ? []
      : [event('in_progress', Math.min(...begins), { status: 'in_progress', conclusion: null })]),
    ...jobs.flatMap((job) => jobEvents(run, attempt, job)),
    ...jobs.flatMap((job) => deploymentEvents(world, run, attempt, job)),
    event('completed', endsAt, completed),
  ];
}

function jobEvents(run: Run, attempt: Attempt, job: Job): PlannedEvent[] {
  const { createdAt, approvedAt, startedAt, completedAt } = job;
  const event = (action: JobAction, at: number, status = action): PlannedEvent => ({
    at,
    build: () => ({
      eventType: 'workflow_job',
      payload: jobPayload(run, attempt, job, { action, status, at }),
    }),
  });
  const events = [event('completed', completedAt)];
  if (startedAt !== null) events.unshift(event('in_progress', startedAt));
  // A job that is skipped or cancelled before its creation is only reported as completed.
  if (createdAt === completedAt) return events;
  if (approvedAt === null) return [event('queued', createdAt), ...events];
  const waiting = [event('queued', createdAt, 'waiting'), event('waiting', createdAt + 1000)];
  return [...waiting, event('queued', approvedAt), ...events];
}

/** A deployment ends with its job. One that never began is not reported. */
function deploymentEvents(world: World, run: Run, attempt: Attempt, job: Job): PlannedEvent[] {
  const { template, createdAt, startedAt, completedAt, conclusion } = job;
  if (template.environment === undefined || startedAt === null) return [];
  const status = (state: DeploymentState, at: number): PlannedEvent => {
    const id = world.nextId();
    return {
      at,
      build: () => ({
        eventType: 'deployment_status',
        payload: deploymentStatusPayload(run, attempt, job, { state, id, at }),
      }),
    };
  };
  return [
    status('queued', createdAt),
    status('in_progress', startedAt),
    status(conclusion === 'success' ? 'success' : 'failure', completedAt),
  ];
}
