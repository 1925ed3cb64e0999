import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { at, eventOf, jobPayload, repositoryOf, runPayload } from './forge-events.ts';

/** A completed run and its job with the same times and conclusion. */
export interface Completion {
  id: number;
  attempt: number;
  repository: string;
  name: string;
  branch: string;
  conclusion: string;
  startSeconds: number;
  queuedSeconds: number;
  seconds: number;
  labels: readonly string[];
  runner?: string;
}

export const greenBuild: Completion = {
  id: 1,
  attempt: 1,
  repository: 'acme/site',
  name: 'CI',
  branch: 'main',
  conclusion: 'success',
  startSeconds: 5 * 86_400,
  queuedSeconds: 30,
  seconds: 60,
  labels: ['linux'],
};

export function runOf(
  { id, attempt, repository, name, branch, startSeconds, seconds, ...rest }: Completion,
  more: object = {},
): MonitoringEvent {
  const fields = {
    id,
    run_attempt: attempt,
    name,
    head_branch: branch,
    status: 'completed',
    conclusion: rest.conclusion,
    run_started_at: at(startSeconds),
    updated_at: at(startSeconds + seconds),
    ...more,
  };
  return eventOf('workflow_run', runPayload(fields, repo(repository)));
}

export function jobOf(
  { id, attempt, repository, name, branch, startSeconds, seconds, ...rest }: Completion,
  more: object = {},
): MonitoringEvent {
  const fields = {
    id: id * 10 + attempt,
    run_id: id,
    run_attempt: attempt,
    workflow_name: name,
    head_branch: branch,
    status: 'completed',
    conclusion: rest.conclusion,
    created_at: at(startSeconds - rest.queuedSeconds),
    started_at: at(startSeconds),
    completed_at: at(startSeconds + seconds),
    labels: rest.labels,
    runner_name: rest.runner ?? 'one',
    ...more,
  };
  return eventOf('workflow_job', jobPayload(fields, repo(repository)));
}

function repo(name: string) {
  return { repository: repositoryOf(name) };
}
