import type { JobTemplate, Runner } from '../plan/workflows.ts';
import { fill, organization, wholeSecond } from './objects.ts';
import type { Attempt, Conclusion, Run } from './run.ts';

export interface Step {
  name: string;
  startedAt: number;
  completedAt: number;
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped';
}

/** A job as it will have run in the end. */
export interface Job {
  id: number;
  template: JobTemplate;
  conclusion: Conclusion;
  createdAt: number;
  /** When the environment's approval came; null without one. */
  approvedAt: number | null;
  /** Null for a job that never ran. */
  startedAt: number | null;
  completedAt: number;
  steps: readonly Step[];
}

export type JobAction = 'queued' | 'waiting' | 'in_progress' | 'completed';

/** The body of a `workflow_job` event at the time `at`. The first `queued` of a job that needs approval has the status `waiting`. */
export function jobPayload(run: Run, attempt: Attempt, job: Job, event: JobEvent) {
  const deployment = deploymentObject(run, job, event.at);
  return {
    action: event.action,
    workflow_job: jobObject(run, attempt, job, event),
    ...(deployment === undefined ? {} : { deployment }),
    repository: run.repository.full,
    organization,
    sender: attempt.actor,
  };
}

interface JobEvent {
  action: JobAction;
  status?: JobAction;
  at: number;
}

function jobObject(run: Run, attempt: Attempt, job: Job, { action, status = action, at }: JobEvent) {
  const isOver = status === 'completed';
  const hasRunner = job.startedAt !== null && (isOver || status === 'in_progress');
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: run.workflow.name,
    head_branch: run.headBranch,
    run_attempt: attempt.number,
    head_sha: run.headSha,
    ...fill('workflowJob', { repo: run.repository.full.full_name, run: run.id, id: job.id }),
    status,
    conclusion: isOver ? job.conclusion : null,
    created_at: wholeSecond(job.createdAt),
    started_at: wholeSecond(hasRunner ? job.startedAt! : job.createdAt),
    completed_at: isOver ? wholeSecond(job.completedAt) : null,
    name: job.template.name,
    steps: hasRunner ? stepObjects(job.steps, at) : [],
    labels: labelsOf(job.template),
    ...runnerOf(hasRunner ? job.template.runner : null, job.id),
  };
}

function stepObjects(steps: readonly Step[], at: number) {
  return steps.flatMap((step, index) => {
    const isDone = step.completedAt <= at;
    if (step.startedAt > at) return [];
    return {
      name: step.name,
      status: isDone ? 'completed' : 'in_progress',
      conclusion: isDone ? step.conclusion : null,
      number: index + 1,
      started_at: stepTime(step.startedAt),
      completed_at: isDone ? stepTime(step.completedAt) : null,
    };
  });
}

/** The times of steps are written with milliseconds, which are always zero. */
function stepTime(ms: number): string {
  return wholeSecond(ms).replace('Z', '.000Z');
}

function labelsOf({ runner, name }: JobTemplate): string[] {
  if (runner === 'self-hosted') return ['self-hosted', 'linux', 'x64'];
  if (name.includes('darwin')) return ['macos-15'];
  return [name.includes('windows') ? 'windows-2025' : 'ubuntu-24.04'];
}

function runnerOf(runner: Runner | null, jobId: number) {
  const own = (jobId % 12) + 1;
  const isHosted = runner === 'hosted';
  if (runner === null)
    return { runner_id: null, runner_name: null, runner_group_id: null, runner_group_name: null };
  return {
    runner_id: isHosted ? jobId : own,
    runner_name: isHosted ? `GitHub Actions ${jobId}` : `rack-2-${String(own).padStart(2, '0')}`,
    runner_group_id: isHosted ? 0 : 1,
    runner_group_name: isHosted ? 'GitHub Actions' : 'Default',
  };
}

export function deploymentObject(run: Run, job: Job, updatedAt: number) {
  const { environment } = job.template;
  if (environment === undefined) return undefined;
  return {
    id: job.id,
    original_environment: environment,
    environment,
    ...fill('deployment', { repo: run.repository.full.full_name, id: job.id }),
    created_at: wholeSecond(job.createdAt),
    updated_at: wholeSecond(updatedAt),
    creator: run.actor,
    sha: run.headSha,
    ref: run.headBranch,
    production_environment: environment === 'production',
  };
}
