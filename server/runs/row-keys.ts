import type { AttemptRow, JobRow, PullRequestRow, ReviewRow, RunRow } from './rows.ts';

/** Primary keys as text, used as keys of maps. */

export function runKey(row: Pick<RunRow, 'integrationId' | 'runId'>): string {
  return `${row.integrationId} ${row.runId}`;
}

export function attemptKey(row: Pick<AttemptRow, 'integrationId' | 'runId' | 'attempt'>): string {
  return `${row.integrationId} ${row.runId} ${row.attempt}`;
}

export function jobKey(row: Pick<JobRow, 'integrationId' | 'runId' | 'attempt' | 'jobId'>): string {
  return `${row.integrationId} ${row.runId} ${row.attempt} ${row.jobId}`;
}

export function pullRequestKey(row: Pick<PullRequestRow, 'integrationId' | 'repository' | 'number'>): string {
  return `${row.integrationId} ${row.repository} ${row.number}`;
}

export function reviewKey(row: Pick<ReviewRow, 'integrationId' | 'reviewId'>): string {
  return `${row.integrationId} ${row.reviewId}`;
}
