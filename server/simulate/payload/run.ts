import type { Workflow } from '../plan/workflows.ts';
import { fill, organization, wholeSecond, workflowObject, type Account, type Repository } from './objects.ts';
import type { PullRequestReference } from './pull-request.ts';

export type Conclusion = 'success' | 'failure' | 'timed_out' | 'cancelled' | 'skipped' | 'action_required';

/** The trigger of a run and its commit. */
export interface Trigger {
  repository: Repository;
  /** The repository itself or a fork. */
  headRepository: Repository;
  workflow: Workflow;
  event: 'push' | 'pull_request' | 'schedule' | 'workflow_dispatch' | 'release';
  headBranch: string;
  headSha: string;
  title: string;
  actor: Account;
  /** Empty for forks, even when the run belongs to a pull request. */
  pullRequests: readonly PullRequestReference[];
}

export interface Run extends Trigger {
  id: number;
  number: number;
  createdAt: number;
}

export interface Attempt {
  number: number;
  actor: Account;
  startedAt: number;
}

export type RunAction = 'requested' | 'in_progress' | 'completed';

export interface RunState {
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  updatedAt: number;
}

export function runPayload(action: RunAction, run: Run, attempt: Attempt, state: RunState) {
  const workflow = workflowObject(run.repository, run.workflow);
  const { summary } = run.repository;
  const filled = fill('workflowRun', { repo: summary.full_name, id: run.id, workflow: workflow.id });
  return {
    action,
    workflow_run: {
      id: run.id,
      name: workflow.name,
      head_branch: run.headBranch,
      head_sha: run.headSha,
      path: workflow.path,
      display_title: run.title,
      run_number: run.number,
      event: run.event,
      status: state.status,
      conclusion: state.conclusion,
      workflow_id: workflow.id,
      check_suite_id: run.id,
      ...filled,
      pull_requests: run.pullRequests,
      created_at: wholeSecond(run.createdAt),
      updated_at: wholeSecond(state.updatedAt),
      actor: run.actor,
      run_attempt: attempt.number,
      referenced_workflows: [] as object[],
      run_started_at: wholeSecond(attempt.startedAt),
      triggering_actor: attempt.actor,
      previous_attempt_url: attempt.number > 1 ? `${filled.url}/attempts/${attempt.number - 1}` : null,
      head_commit: headCommit(run),
      repository: summary,
      head_repository: run.headRepository.summary,
    },
    workflow,
    repository: run.repository.full,
    organization,
    sender: attempt.actor,
  };
}

function headCommit({ headSha, title, actor, createdAt }: Run) {
  const author = { name: actor.login, email: `${actor.id}+${actor.login}@users.noreply.forge.test` };
  return {
    id: headSha,
    tree_id: [...headSha].reverse().join(''),
    message: `${title}\n\nReviewed together.`,
    timestamp: wholeSecond(createdAt - 7000),
    author,
    committer: author,
  };
}
