import { deploymentObject, type Job } from './job.ts';
import { fill, organization, wholeSecond } from './objects.ts';
import { runPayload, type Attempt, type Run } from './run.ts';

export type DeploymentState = 'queued' | 'in_progress' | 'success' | 'failure';

/** The body of a `deployment_status` event. A job with an environment is a deployment. */
export function deploymentStatusPayload(
  run: Run,
  attempt: Attempt,
  job: Job,
  { state, id, at }: { state: DeploymentState; id: number; at: number },
) {
  const repo = run.repository.full.full_name;
  const isOver = state === 'success' || state === 'failure';
  const values = { repo, id: job.id, status: id, run: run.id };
  const status = isOver ? 'completed' : state;
  const { workflow_run: ofRun, workflow } = runPayload('in_progress', run, attempt, {
    status: 'in_progress',
    conclusion: null,
    updatedAt: at,
  });
  return {
    action: 'created',
    deployment_status: {
      id,
      state,
      creator: run.actor,
      environment: job.template.environment,
      created_at: wholeSecond(at),
      updated_at: wholeSecond(at),
      ...fill('deploymentStatus', values),
    },
    deployment: deploymentObject(run, job, at),
    check_run: {
      id: job.id,
      name: job.template.name,
      head_sha: run.headSha,
      status,
      conclusion: isOver ? state : null,
      started_at: wholeSecond(job.startedAt ?? job.createdAt),
      completed_at: isOver ? wholeSecond(job.completedAt) : null,
      ...fill('checkRun', values),
    },
    workflow,
    workflow_run: ofRun,
    repository: run.repository.full,
    organization,
    sender: run.actor,
  };
}
