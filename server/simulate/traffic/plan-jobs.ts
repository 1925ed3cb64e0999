import type { JobConclusion } from '../payload/workflow-job.ts';
import { cutSteps, planSteps, type StepPlan, type JobOutcome } from './plan-steps.ts';
import type { JobTemplate, RunnerKind } from './workflows.ts';
import type { World } from './world.ts';

interface Runner {
  id: number;
  name: string;
  groupId: number;
  groupName: string;
}

/** An environment that requires approval: the job waits from `waitingAt` on. */
interface Gate {
  waitingAt: number;
  /** Null when the job was cancelled before the approval. */
  approvedAt: number | null;
}

export interface JobPlan {
  id: number;
  template: JobTemplate;
  labels: readonly string[];
  conclusion: JobConclusion;
  createdAt: number;
  /** When a runner started the job; null for a job that never ran. */
  startedAt: number | null;
  completedAt: number;
  runner: Runner | null;
  steps: readonly StepPlan[];
  gate: Gate | null;
  deploymentId: number | null;
  /** Whether `queued` is sent. A job that is skipped at once is only reported as completed. */
  isAnnounced: boolean;
  /** Reported with an end before the start, as GitHub does for some jobs that never ran. */
  endsBeforeStart: boolean;
  /** Reported as completed without its steps. */
  stepsLost: boolean;
}

export type AttemptOutcome = JobOutcome | 'cancelled' | 'skipped';

/** Plans the jobs of one attempt, stage by stage. `templates` are the jobs to run: all, or those that failed before. */
export function planJobs(
  world: World,
  templates: readonly JobTemplate[],
  from: number,
  outcome: AttemptOutcome,
): JobPlan[] {
  if (outcome === 'skipped') return templates.map((template) => skippedJob(world, template, from));
  if (outcome === 'cancelled') return cancelAll(world, planJobs(world, templates, from, 'success'), from);
  const failingJob = outcome === 'success' ? undefined : world.random.pick(templates);
  const jobs: JobPlan[] = [];
  let isBroken = false;
  for (const stage of stagesOf(templates)) {
    const begin = Math.max(from, ...jobs.map((job) => job.completedAt)) + world.elapse(0.5, 2);
    const planned = stage.map((template) =>
      isBroken
        ? skippedJob(world, template, begin)
        : workingJob(world, template, begin, template === failingJob ? outcome : 'success'),
    );
    jobs.push(...failFast(world, planned, failingJob));
    isBroken ||= failingJob !== undefined && stage.includes(failingJob);
  }
  return jobs;
}

function stagesOf(templates: readonly JobTemplate[]): JobTemplate[][] {
  const stages = Map.groupBy(templates, (template) => template.stage);
  return [...stages.keys()].sort((a, b) => a - b).map((stage) => stages.get(stage) ?? []);
}

function workingJob(world: World, template: JobTemplate, createdAt: number, outcome: JobOutcome): JobPlan {
  const isGated = template.environment === 'production' && world.random.chance(world.mix.gated);
  const gate = isGated ? planGate(world, createdAt) : null;
  const queuedAt = gate?.approvedAt ?? createdAt;
  const startedAt = queuedAt + (template.runner === 'self-hosted' ? world.elapse(1, 30) : world.elapse(1, 8));
  const steps = planSteps(world, template, startedAt, outcome);
  return {
    ...emptyJob(world, template, createdAt),
    conclusion: outcome,
    startedAt,
    completedAt: (steps.at(-1)?.completedAt ?? startedAt) + world.elapse(0.2, 1),
    runner: planRunner(world, template.runner),
    steps,
    gate,
    isAnnounced: true,
    stepsLost: world.random.chance(world.mix.stepsLost),
  };
}

/** Approval comes at least two seconds later, so that `deployment.updated_at` orders the events. */
function planGate(world: World, createdAt: number): Gate {
  const waitingAt = createdAt + world.elapse(0.2, 2);
  return { waitingAt, approvedAt: waitingAt + 2000 + world.elapse(5, 60) };
}

function skippedJob(world: World, template: JobTemplate, at: number): JobPlan {
  const endsBeforeStart = world.random.chance(0.4);
  return { ...emptyJob(world, template, at), conclusion: 'skipped', completedAt: at, endsBeforeStart };
}

function emptyJob(world: World, template: JobTemplate, createdAt: number) {
  return {
    id: world.nextId('job'),
    template,
    labels: labelsOf(template),
    createdAt,
    startedAt: null,
    runner: null,
    steps: [],
    gate: null,
    deploymentId: template.environment === undefined ? null : world.nextId('deployment'),
    isAnnounced: false,
    endsBeforeStart: false,
    stepsLost: false,
  };
}

/** The jobs of a matrix are cancelled when one of them fails, unless the workflow lets them finish. */
function failFast(world: World, stage: readonly JobPlan[], failingJob: JobTemplate | undefined): JobPlan[] {
  const broken = stage.find((job) => job.template === failingJob && job.conclusion !== 'success');
  if (broken?.template.matrix === undefined || world.random.chance(0.4)) return [...stage];
  const at = broken.completedAt;
  return stage.map((job) =>
    job !== broken && job.template.matrix === broken.template.matrix ? cancelJob(world, job, at) : job,
  );
}

/** The run is cancelled at a random time between the first job's creation and the end. */
function cancelAll(world: World, jobs: readonly JobPlan[], from: number): JobPlan[] {
  const first = Math.min(...jobs.map((job) => job.createdAt));
  const end = Math.max(...jobs.map((job) => job.completedAt));
  const at = Math.max(first, from) + (end - first) * world.random.between(0, 0.9);
  return jobs.map((job) => cancelJob(world, job, at));
}

function cancelJob(world: World, job: JobPlan, at: number): JobPlan {
  if (job.completedAt <= at) return job;
  const completedAt = at + world.elapse(0.2, 1.5);
  const cancelled = { ...job, conclusion: 'cancelled', completedAt } as const;
  if (job.startedAt !== null && job.startedAt < at) return { ...cancelled, steps: cutSteps(job.steps, at) };
  return {
    ...cancelled,
    createdAt: Math.min(job.createdAt, at),
    isAnnounced: job.isAnnounced && job.createdAt <= at,
    startedAt: null,
    runner: null,
    steps: [],
    gate: job.createdAt <= at ? cutGate(job.gate, at) : null,
    endsBeforeStart: world.random.chance(0.5),
    stepsLost: false,
  };
}

function cutGate(gate: Gate | null, at: number): Gate | null {
  if (gate === null || gate.waitingAt > at) return null;
  return { ...gate, approvedAt: gate.approvedAt !== null && gate.approvedAt <= at ? gate.approvedAt : null };
}

function labelsOf({ runner, name }: JobTemplate): readonly string[] {
  if (runner === 'self-hosted') return ['self-hosted', 'linux', 'x64'];
  if (runner === 'large') return ['ubuntu-24.04-16core'];
  if (name.includes('darwin')) return ['macos-15'];
  return [name.includes('win') ? 'windows-2025' : 'ubuntu-24.04'];
}

function planRunner({ random }: World, kind: RunnerKind): Runner {
  if (kind === 'self-hosted') {
    const id = random.int(1, 12);
    return { id, name: `rack-2-${String(id).padStart(2, '0')}`, groupId: 1, groupName: 'Default' };
  }
  if (kind === 'large') {
    const id = random.int(300, 340);
    return { id, name: `large-${id}`, groupId: 3, groupName: 'Large runners' };
  }
  const id = random.int(1_000_000_000, 1_000_999_999);
  return { id, name: `GitHub Actions ${id}`, groupId: 0, groupName: 'GitHub Actions' };
}
