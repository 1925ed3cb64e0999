import { mergeGroupOf } from '#contract/runs/merge-group.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { ticksToMs } from '../parsing/delivery-time.ts';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import {
  forkId,
  id,
  login,
  maskedText,
  maxLengths,
  requireAttempt,
  requireFields,
  requireId,
  requireText,
  type Origin,
} from '../parsing/payload-fields.ts';
import { timeMs } from '#platform/runtime/times.ts';
import { unknownFork } from '#server/runs/objects/head-repository.ts';
import { runObject, storedRuns, type RunRow } from '#server/runs/objects/run.ts';
import { runStaleRules, runVersion } from '#server/runs/staleness.ts';
import { eventType } from './event-type.ts';

/** `action` is not read, because it may contradict `status`. */
function parseWorkflowRun(payload: Fields, origin: Origin): RunRow {
  const run = requireFields(payload['workflow_run'], 'workflow_run');
  const repository = requireFields(payload['repository'], 'repository');
  const workflow = fields(payload['workflow']);
  const actor = fields(run['actor']);
  const times = readTimes(run, origin);
  return {
    ...readOrder(run, times.updatedAt, origin),
    ...times,
    repository: requireText(repository['full_name'], 'repository.full_name', maxLengths.name),
    conclusion: storableText(run['conclusion'], maxLengths.conclusion),
    onDefaultBranch: isOnDefaultBranch(run, repository),
    workflowName: workflowName(run, workflow),
    triggeringActor: login(run['triggering_actor']),
    runNumber: id(run['run_number']),
    workflowId: id(run['workflow_id']),
    workflowPath:
      storableText(run['path'], maxLengths.name) ?? storableText(workflow['path'], maxLengths.name),
    event: storableText(run['event'], maxLengths.name),
    title: maskedText(run['display_title'], maxLengths.title),
    commitMessage: maskedText(fields(run['head_commit'])['message'], maxLengths.commitMessage),
    headBranch: storableText(run['head_branch'], maxLengths.name),
    headSha: storableText(run['head_sha'], maxLengths.name),
    headRepository:
      run['head_repository'] === null
        ? unknownFork
        : storableText(fields(run['head_repository'])['full_name'], maxLengths.name),
    forkId: forkId(run['head_repository'], repository),
    actor: login(actor),
    actorAvatarUrl: storableText(actor['avatar_url'], maxLengths.url),
    url: storableText(run['html_url'], maxLengths.url),
    pullRequests: ofMergeGroup(run, repository) ?? pullRequestNumbers(run['pull_requests'], repository['id']),
    supersededBy: null,
    errorLine: null,
    olderFacts: null,
  };
}

/** `run-name` and Dependabot set the name of a run freely, and a file that is not valid gives its path. */
function workflowName(run: Fields, workflow: Fields): string | null {
  return maskedText(workflow['name'], maxLengths.name) ?? maskedText(run['name'], maxLengths.name);
}

/** The fields that keys and order need. */
function readOrder(run: Fields, updatedAtMs: number | null, { integrationId, deliveredAt }: Origin) {
  const attempt = requireAttempt(run['run_attempt'], 'workflow_run.run_attempt');
  const status = requireText(run['status'], 'workflow_run.status', maxLengths.conclusion);
  return {
    integrationId,
    runId: requireId(run['id'], 'workflow_run.id'),
    attempt,
    status,
    version: runVersion({ attempt, status, updatedAtMs, deliveredAt }),
  };
}

/** GitHub sends no completion time. It is the time of the last update of a completed run. */
function readTimes(run: Fields, { deliveredAt }: Origin) {
  const updatedAt = timeMs(run['updated_at']);
  const startedAt = timeMs(run['run_started_at']) ?? timeMs(run['started_at']);
  const isCompleted = run['status'] === 'completed';
  const endedAt = isCompleted ? timeMs(run['completed_at']) : null;
  return {
    createdAt: timeMs(run['created_at']) ?? startedAt ?? updatedAt ?? endedAt ?? ticksToMs(deliveredAt),
    updatedAt,
    startedAt,
    completedAt: isCompleted ? (endedAt ?? updatedAt ?? ticksToMs(deliveredAt)) : null,
  };
}

/** A fork's branch may have the name of ours, and that of a merge group. For a deleted fork GitHub sends null. */
function isOfFork(run: Fields, repository: Fields): boolean {
  const headRepository = fields(run['head_repository'])['id'];
  return (
    run['head_repository'] === null || (headRepository !== undefined && headRepository !== repository['id'])
  );
}

function isOnDefaultBranch(run: Fields, repository: Fields): boolean {
  const branch = run['head_branch'];
  return !isOfFork(run, repository) && typeof branch === 'string' && branch === repository['default_branch'];
}

/** The run of a merge group belongs to its pull request, which the forge does not list. */
function ofMergeGroup(run: Fields, repository: Fields): number[] | undefined {
  const branch = run['head_branch'];
  const mayBe = typeof branch === 'string' && !isOfFork(run, repository);
  const group = mayBe ? mergeGroupOf(branch) : undefined;
  return group && [group.pullRequest];
}

/** The list may contain pull requests of other repositories with the same head. For runs from forks it is empty. */
function pullRequestNumbers(list: unknown, repositoryId: unknown): number[] {
  if (!Array.isArray(list)) return [];
  const numbers = new Set<number>();
  for (const entry of list.slice(0, 100)) {
    const base = fields(fields(fields(entry)['base'])['repo'])['id'];
    const number = id(fields(entry)['number']);
    if (number !== null && (base === undefined || base === repositoryId)) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}

export const workflowRun = eventType({
  code: 0,
  object: storedRuns,
  parse: parseWorkflowRun,
  staleRules: runStaleRules,
  update: (run) => ({ type: 'workflow_run', data: runObject(run) }),
});
