import { fields, type Fields } from '#platform/runtime/json-fields.ts';

/**
 * Gitea names the workflow's file with the ref it ran on (`ci.yml@refs/heads/main`), gives no branch to runs of pull
 * requests and tags, and writes 0 for every attempt.
 */
export function runFromGitea(payload: Fields): Fields {
  const run = fields(payload['workflow_run']);
  const workflow = fields(payload['workflow']);
  const [file, ref] = typeof run['path'] === 'string' ? run['path'].split(/@(?=refs\/)/) : [];
  const pullRequest = /^refs\/pull\/(\d+)\//.exec(ref ?? '')?.[1];
  return {
    ...payload,
    workflow_run: {
      ...run,
      run_attempt: run['run_attempt'] || null,
      path: workflow['path'] || file,
      head_branch: run['head_branch'] || branchOf(ref, pullRequest),
      pull_requests: pullRequest === undefined ? [] : [{ number: Number(pullRequest) }],
      triggering_actor: run['trigger_actor'],
    },
  };
}

/** Uses Forgejo's branch names for pull requests, such as `#12`. */
function branchOf(ref: string | undefined, pullRequest: string | undefined): string | undefined {
  return pullRequest === undefined ? ref?.replace(/^refs\/(heads|tags)\//, '') : `#${pullRequest}`;
}

/**
 * Before 1.26, Gitea counts how often a job started, which is not the attempt of its run: a job that was skipped in the first attempt
 * starts for the first time in the second. A job alone does not tell which of the two it is, so `numberAttempts` decides with its run.
 */
export function jobFromGitea(payload: Fields): Fields {
  const job = fields(payload['workflow_job']);
  return {
    ...payload,
    workflow_job: { ...job, run_attempt: null, attempt_of_numbered_run: job['run_attempt'] },
  };
}
