import type { RunAttempt, WorkflowRun } from '#contract/monitoring.ts';
import { durationMs } from './durations.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { AttemptRow, RunRow } from './rows.ts';

/** A stored run in the shape of lists and updates. */
export function runObject(row: RunRow): WorkflowRun {
  return {
    integrationId: row.integrationId,
    runId: row.runId,
    attempt: row.attempt,
    runNumber: row.runNumber,
    repository: row.repository,
    workflowId: row.workflowId,
    workflowName: row.workflowName,
    workflowPath: row.workflowPath,
    event: row.event,
    status: row.status,
    conclusion: row.conclusion,
    title: row.title,
    commitMessage: row.commitMessage,
    headBranch: row.headBranch,
    headSha: row.headSha,
    actor: row.actor,
    actorAvatarUrl: row.actorAvatarUrl,
    triggeringActor: row.triggeringActor,
    url: row.url,
    createdAt: showTime(row.createdAt),
    startedAt: showTime(row.startedAt),
    updatedAt: showTime(row.updatedAt),
    completedAt: showTime(row.completedAt),
    durationMs: durationMs(row),
    pullRequests: row.pullRequests,
  };
}

export function attemptObject(row: AttemptRow): RunAttempt {
  return {
    attempt: row.attempt,
    status: row.status,
    conclusion: row.conclusion,
    triggeringActor: row.triggeringActor,
    startedAt: showTime(row.startedAt),
    completedAt: showTime(row.completedAt),
    durationMs: durationMs(row),
  };
}
