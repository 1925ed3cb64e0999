import { fields, type Fields } from '#platform/runtime/json-fields.ts';

/** Forgejo's statuses of runs and jobs. `conclusion` is null until completion. */
const statuses: Record<string, { status: string; conclusion: string | null }> = {
  unknown: { status: 'queued', conclusion: null },
  waiting: { status: 'queued', conclusion: null },
  blocked: { status: 'waiting', conclusion: null },
  running: { status: 'in_progress', conclusion: null },
  success: { status: 'completed', conclusion: 'success' },
  failure: { status: 'completed', conclusion: 'failure' },
  cancelled: { status: 'completed', conclusion: 'cancelled' },
  skipped: { status: 'completed', conclusion: 'skipped' },
};

export function forgejoStatusOf(word: unknown): { status: string; conclusion: string | null } | undefined {
  return typeof word === 'string' && Object.hasOwn(statuses, word) ? statuses[word] : undefined;
}

/** A run of Forgejo's webhooks and of its API in GitHub's format. */
export function runOfForgejo(run: Fields): Fields {
  const { status, conclusion } = forgejoStatusOf(run['status']) ?? { status: 'queued', conclusion: null };
  const workflow = run['workflow_id'];
  return {
    id: run['id'],
    run_number: run['index_in_repo'],
    status,
    conclusion,
    name: workflow,
    path: workflow,
    display_title: run['title'],
    event: run['trigger_event'] ?? run['event'],
    head_branch: run['prettyref'],
    head_sha: run['commit_sha'],
    // Forgejo does not name the fork. Null marks the run as one of a fork, so its branch is not taken for one of this repository.
    head_repository: run['is_fork_pull_request'] === true ? null : undefined,
    actor: run['trigger_user'],
    triggering_actor: run['trigger_user'],
    html_url: run['html_url'],
    created_at: timeOf(run['created']),
    run_started_at: timeOf(run['started']),
    updated_at: timeOf(run['updated']),
    completed_at: timeOf(run['stopped']),
    pull_requests: [],
  };
}

/** Forgejo reports completed runs only. A cancelled run is a failure event with the status `cancelled`. */
export function runEventOfForgejo(payload: Fields, eventName: string): Fields {
  const run = fields(payload['run']);
  const isCompleted = forgejoStatusOf(run['status'])?.status === 'completed';
  const ended = eventName === 'action_run_failure' ? 'failure' : 'success';
  return {
    action: 'completed',
    repository: fields(run['repository']),
    workflow: { name: run['workflow_id'], path: run['workflow_id'] },
    workflow_run: runOfForgejo(isCompleted ? run : { ...run, status: ended }),
  };
}

/** Go serializes a missing time as its zero time. */
export function timeOf(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('0001-01-01') ? null : value;
}
