import { ticksToMs } from './delivery-time.ts';
import {
  fields,
  id,
  login,
  maxLengths,
  requireAttempt,
  requireFields,
  requireId,
  requireText,
  text,
  type Fields,
  type Origin,
} from './payload-fields.ts';
import { timeMs } from './payload-times.ts';
import type { AttemptRow, RunRow } from './rows.ts';
import { runVersion } from './staleness.ts';

/** The rows that one `workflow_run` event alone would leave. `action` is not read: it may contradict `status`. */
export function parseWorkflowRun(payload: Fields, origin: Origin): { run: RunRow; attempt: AttemptRow } {
  const run = requireFields(payload['workflow_run'], 'workflow_run');
  const repository = requireFields(payload['repository'], 'repository');
  const shared = readShared(payload, run, repository, origin);
  const updatedAt = timeMs(run['updated_at']);
  const actor = fields(run['actor']);
  return {
    run: {
      ...shared,
      updatedAt,
      runNumber: id(run['run_number']),
      workflowId: id(run['workflow_id']),
      workflowPath:
        text(run['path'], maxLengths.name) ?? text(fields(payload['workflow'])['path'], maxLengths.name),
      event: text(run['event'], maxLengths.name),
      title: text(run['display_title'], maxLengths.title),
      commitMessage: text(fields(run['head_commit'])['message'], maxLengths.commitMessage),
      headBranch: text(run['head_branch'], maxLengths.name),
      headSha: text(run['head_sha'], maxLengths.name),
      headRepository: text(fields(run['head_repository'])['full_name'], maxLengths.name),
      actor: login(actor),
      actorAvatarUrl: text(actor['avatar_url'], maxLengths.url),
      url: text(run['html_url'], maxLengths.url),
      createdAt: timeMs(run['created_at']) ?? shared.startedAt ?? updatedAt ?? ticksToMs(origin.deliveredAt),
      pullRequests: pullRequestNumbers(run['pull_requests'], repository['id']),
    },
    attempt: { ...shared, onDefaultBranch: isOnDefaultBranch(run, repository) },
  };
}

/** What the row of the run and the row of its attempt have in common. */
function readShared(payload: Fields, run: Fields, repository: Fields, origin: Origin) {
  const attempt = requireAttempt(run['run_attempt'], 'workflow_run.run_attempt');
  const status = requireText(run['status'], 'workflow_run.status', maxLengths.conclusion);
  const updatedAtMs = timeMs(run['updated_at']);
  const endedAt = timeMs(run['completed_at']) ?? updatedAtMs ?? ticksToMs(origin.deliveredAt);
  return {
    integrationId: origin.integrationId,
    runId: requireId(run['id'], 'workflow_run.id'),
    attempt,
    version: runVersion({ attempt, status, updatedAtMs, deliveredAt: origin.deliveredAt }),
    repository: requireText(repository['full_name'], 'repository.full_name', maxLengths.name),
    status,
    conclusion: text(run['conclusion'], maxLengths.conclusion),
    completedAt: status === 'completed' ? endedAt : null,
    workflowName:
      text(run['name'], maxLengths.name) ?? text(fields(payload['workflow'])['name'], maxLengths.name),
    startedAt: timeMs(run['run_started_at']) ?? timeMs(run['started_at']),
    triggeringActor: login(run['triggering_actor']),
    olderFacts: null,
  };
}

/** A fork's branch may bear the name of our default branch. */
function isOnDefaultBranch(run: Fields, repository: Fields): boolean {
  const headRepository = fields(run['head_repository'])['id'];
  const isOurs = headRepository === undefined || headRepository === repository['id'];
  return (
    isOurs && run['head_branch'] === repository['default_branch'] && typeof run['head_branch'] === 'string'
  );
}

/** The list may hold pull requests of other repositories with the same head; empty for those from forks. */
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
