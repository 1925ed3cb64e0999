import type { Account } from '../payload/account.ts';
import type { RunOutcome } from './mix.ts';
import { planJobs, type AttemptOutcome, type JobPlan } from './plan-jobs.ts';
import type { PullRequestReference } from '../payload/pull-request.ts';
import type { Repository } from '../payload/repository.ts';
import type { RunConclusion } from '../payload/workflow-run.ts';
import type { JobTemplate, Workflow } from './workflows.ts';
import type { World } from './world.ts';

/** The trigger of a run and its commit. */
export interface RunSource {
  repository: Repository;
  /** The repository itself or a fork. */
  headRepository: Repository;
  workflow: Workflow;
  event: 'push' | 'pull_request' | 'schedule' | 'workflow_dispatch' | 'release';
  headBranch: string;
  headSha: string;
  treeSha: string;
  title: string;
  message: string;
  actor: Account;
  /** Empty for forks, even when the run belongs to a pull request. */
  pullRequests: readonly PullRequestReference[];
}

export interface AttemptPlan {
  number: number;
  triggeringActor: Account;
  startedAt: number;
  completedAt: number;
  conclusion: RunConclusion;
  jobs: readonly JobPlan[];
}

export interface RunPlan {
  id: number;
  runNumber: number;
  checkSuiteId: number;
  source: RunSource;
  createdAt: number;
  attempts: readonly AttemptPlan[];
}

/** Plans a run requested at `createdAt`, with the re-runs that follow when it does not succeed. */
export function planRun(
  world: World,
  source: RunSource,
  createdAt: number,
  outcome: RunOutcome | 'action_required',
): RunPlan {
  const first = planAttempt(world, source, { number: 1, startedAt: createdAt, actor: source.actor, outcome });
  return {
    id: world.nextId('run'),
    runNumber: world.nextNumber(`workflow/${source.workflow.object.id}`),
    checkSuiteId: world.nextId('checkSuite'),
    source,
    createdAt,
    attempts: withReruns(world, source, first),
  };
}

interface AttemptSource {
  number: number;
  startedAt: number;
  actor: Account;
  outcome: RunConclusion;
  templates?: readonly JobTemplate[];
}

function planAttempt(world: World, source: RunSource, attempt: AttemptSource): AttemptPlan {
  const { outcome, startedAt } = attempt;
  const templates = attempt.templates ?? source.workflow.template.jobs;
  const hasJobs = outcome !== 'startup_failure' && outcome !== 'action_required';
  const jobs = hasJobs ? planJobs(world, templates, startedAt, outcome satisfies AttemptOutcome) : [];
  return {
    number: attempt.number,
    triggeringActor: attempt.actor,
    startedAt,
    completedAt: Math.max(startedAt, ...jobs.map((job) => job.completedAt)) + world.elapse(0.5, 2),
    conclusion: outcome,
    jobs,
  };
}

const rerunLimit = 3;

function withReruns(world: World, source: RunSource, first: AttemptPlan): AttemptPlan[] {
  const attempts = [first];
  for (let last = first; isWorthARerun(last) && world.random.chance(world.mix.rerun);) {
    last = planAttempt(world, source, {
      number: last.number + 1,
      startedAt: last.completedAt + 1000 + world.elapse(5, 60),
      actor: world.random.pick(world.people),
      outcome: world.random.chance(0.65) ? 'success' : 'failure',
      templates: world.random.chance(0.6) ? brokenTemplates(last) : source.workflow.template.jobs,
    });
    attempts.push(last);
  }
  return attempts;
}

function isWorthARerun({ conclusion, number }: AttemptPlan): boolean {
  return number < rerunLimit && ['failure', 'cancelled', 'timed_out'].includes(conclusion);
}

/** "Re-run failed jobs": the jobs that did not succeed, and the jobs of later stages. */
function brokenTemplates({ jobs }: AttemptPlan): JobTemplate[] {
  return jobs.filter((job) => job.conclusion !== 'success').map((job) => job.template);
}
