import { nodeId, type Organization } from './account.ts';
import type { AttemptPlan, RunPlan } from '../traffic/plan-run.ts';
import type { JobPlan } from '../traffic/plan-jobs.ts';
import type { StepPlan } from '../traffic/plan-steps.ts';
import { wholeSecond, wholeSecondOrNull } from './times.ts';

export type JobAction = 'queued' | 'waiting' | 'in_progress' | 'completed';
export type JobConclusion = 'success' | 'failure' | 'cancelled' | 'timed_out' | 'skipped';

/** The state of a job in one event. */
interface JobState {
  /** Differs from the action for a job that waits for an environment: its first `queued` event has the status `waiting`. */
  status: JobAction;
  /** Steps have their state at this time. */
  at: number;
  /** When the deployment last changed; null for a job without an environment. */
  deploymentUpdatedAt: number | null;
}

export type WorkflowJobPayload = ReturnType<typeof workflowJobPayload>;

/** The body of a `workflow_job` event. `deployment` is absent unless the job has an environment. */
export function workflowJobPayload(
  organization: Organization,
  action: JobAction,
  run: RunPlan,
  attempt: AttemptPlan,
  job: JobPlan,
  state: JobState,
) {
  const deployment = deploymentObject(run, job, state);
  return {
    action,
    workflow_job: jobObject(run, attempt, job, state),
    ...(deployment === undefined ? {} : { deployment }),
    repository: run.source.repository.full,
    organization,
    sender: attempt.triggeringActor,
  };
}

function jobObject(run: RunPlan, attempt: AttemptPlan, job: JobPlan, state: JobState) {
  const { source } = run;
  const { summary } = source.repository;
  const isRunning = state.status === 'in_progress' || state.status === 'completed';
  const runner = isRunning ? job.runner : null;
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: source.workflow.object.name,
    head_branch: source.headBranch,
    run_url: `${summary.url}/actions/runs/${run.id}`,
    run_attempt: attempt.number,
    node_id: nodeId('CR', job.id),
    head_sha: source.headSha,
    url: `${summary.url}/actions/jobs/${job.id}`,
    html_url: `${summary.html_url}/actions/runs/${run.id}/job/${job.id}`,
    status: state.status,
    conclusion: state.status === 'completed' ? job.conclusion : null,
    created_at: wholeSecond(job.createdAt),
    started_at: wholeSecond(reportedStart(job, state)),
    completed_at: state.status === 'completed' ? wholeSecond(job.completedAt) : null,
    name: job.template.name,
    steps: isRunning ? stepObjects(job, state) : [],
    check_run_url: `${summary.url}/check-runs/${job.id}`,
    labels: job.labels,
    runner_id: runner?.id ?? null,
    runner_name: runner?.name ?? null,
    runner_group_id: runner?.groupId ?? null,
    runner_group_name: runner?.groupName ?? null,
  };
}

/** Before the start GitHub reports the creation time, and for some jobs that never ran a time after their end. */
function reportedStart(job: JobPlan, { status }: JobState): number {
  if (status === 'queued' || status === 'waiting') return job.createdAt;
  if (job.startedAt !== null) return job.startedAt;
  return job.endsBeforeStart ? job.completedAt + 1000 : job.createdAt;
}

function stepObjects(job: JobPlan, state: JobState) {
  if (state.status === 'completed')
    return job.stepsLost ? [] : job.steps.map((step) => stepObject(step, job.completedAt));
  const begun = job.steps.filter((step) => step.startedAt <= state.at);
  return begun.map((step) => stepObject(step, state.at));
}

function stepObject(step: StepPlan, at: number) {
  const isDone = step.completedAt <= at;
  return {
    name: step.name,
    status: isDone ? 'completed' : 'in_progress',
    conclusion: isDone ? step.conclusion : null,
    number: step.number,
    started_at: stepTime(step.startedAt),
    completed_at: isDone ? stepTime(step.completedAt) : null,
  };
}

/** The times of steps are written with milliseconds, which are always zero. */
function stepTime(ms: number): string {
  return wholeSecond(ms).replace('Z', '.000Z');
}

function deploymentObject({ source }: RunPlan, job: JobPlan, { deploymentUpdatedAt }: JobState) {
  if (job.deploymentId === null || deploymentUpdatedAt === null) return undefined;
  const { url } = source.repository.summary;
  const environment = job.template.environment ?? null;
  return {
    url: `${url}/deployments/${job.deploymentId}`,
    id: job.deploymentId,
    node_id: nodeId('DE', job.deploymentId),
    task: 'deploy',
    original_environment: environment,
    environment,
    description: null,
    created_at: wholeSecond(job.createdAt),
    updated_at: wholeSecondOrNull(deploymentUpdatedAt),
    statuses_url: `${url}/deployments/${job.deploymentId}/statuses`,
    repository_url: url,
    creator: source.actor,
    sha: source.headSha,
    ref: source.headBranch,
    payload: {},
    transient_environment: false,
    production_environment: environment === 'production',
    performed_via_github_app: null,
  };
}
