import { nodeId, type Account, type Organization } from './account.ts';
import type { AttemptPlan, RunPlan } from '../traffic/plan-run.ts';
import { wholeSecond } from './times.ts';

export type RunAction = 'requested' | 'in_progress' | 'completed';
export type RunConclusion =
  | 'success'
  | 'failure'
  | 'cancelled'
  | 'timed_out'
  | 'skipped'
  | 'startup_failure'
  | 'action_required';

export interface RunState {
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: RunConclusion | null;
  updatedAt: number;
}

export type WorkflowRunPayload = ReturnType<typeof workflowRunPayload>;

/** The body of a `workflow_run` event. Pure: all values come from the plan. */
export function workflowRunPayload(
  organization: Organization,
  action: RunAction,
  run: RunPlan,
  attempt: AttemptPlan,
  state: RunState,
) {
  return {
    action,
    workflow_run: runObject(run, attempt, state),
    workflow: run.source.workflow.object,
    repository: run.source.repository.full,
    organization,
    sender: attempt.triggeringActor as Account,
  };
}

function runObject(run: RunPlan, attempt: AttemptPlan, state: RunState) {
  const { source } = run;
  const { summary } = source.repository;
  const api = `${summary.url}/actions/runs/${run.id}`;
  const { object } = source.workflow;
  return {
    id: run.id,
    // The forge names a run after the path of its workflow file when the file is invalid.
    name: attempt.conclusion === 'startup_failure' ? object.path : object.name,
    node_id: nodeId('WFR', run.id),
    head_branch: source.headBranch,
    head_sha: source.headSha,
    path: object.path,
    display_title: source.title,
    run_number: run.runNumber,
    event: source.event,
    status: state.status,
    conclusion: state.conclusion,
    workflow_id: object.id,
    check_suite_id: run.checkSuiteId,
    check_suite_node_id: nodeId('CS', run.checkSuiteId),
    url: api,
    html_url: `${summary.html_url}/actions/runs/${run.id}`,
    pull_requests: source.pullRequests,
    created_at: wholeSecond(run.createdAt),
    updated_at: wholeSecond(state.updatedAt),
    actor: source.actor,
    run_attempt: attempt.number,
    referenced_workflows: [] as object[],
    run_started_at: wholeSecond(attempt.startedAt),
    triggering_actor: attempt.triggeringActor,
    jobs_url: `${api}/jobs`,
    logs_url: `${api}/logs`,
    check_suite_url: `${summary.url}/check-suites/${run.checkSuiteId}`,
    artifacts_url: `${api}/artifacts`,
    cancel_url: `${api}/cancel`,
    rerun_url: `${api}/rerun`,
    previous_attempt_url: attempt.number > 1 ? `${api}/attempts/${attempt.number - 1}` : null,
    workflow_url: object.url,
    head_commit: headCommit(run),
    repository: summary,
    head_repository: source.headRepository.summary,
  };
}

function headCommit({ source, createdAt }: RunPlan) {
  const { login, id } = source.actor;
  const author = { name: login, email: `${id}+${login}@users.noreply.forge.test` };
  return {
    id: source.headSha,
    tree_id: source.treeSha,
    message: source.message,
    timestamp: wholeSecond(createdAt - 7000),
    author,
    committer: author,
  };
}
