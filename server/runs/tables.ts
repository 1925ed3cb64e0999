import { defineTable } from '#platform/database/multi-row.ts';
import type { AttemptRow, JobRow, PullRequestRow, ReviewRow, RunBranchFlag, RunRow } from './rows.ts';

/** The columns of each table, primary key first. */

const attemptColumns = {
  integrationId: 'uuid',
  runId: 'bigint',
  attempt: 'integer',
  version: 'bytea',
  repository: 'text',
  status: 'text',
  conclusion: 'text',
  completedAt: 'timestamptz',
  onDefaultBranch: 'boolean',
  workflowName: 'text',
  startedAt: 'timestamptz',
  triggeringActor: 'text',
  olderFacts: 'json',
} as const;

export const attemptTable = defineTable<AttemptRow>('workflow_run_attempts', 3, attemptColumns);

export const runTable = defineTable<RunRow>('workflow_runs', 2, {
  ...attemptColumns,
  updatedAt: 'timestamptz',
  runNumber: 'bigint',
  workflowId: 'bigint',
  workflowPath: 'text',
  event: 'text',
  title: 'text',
  commitMessage: 'text',
  headBranch: 'text',
  headSha: 'text',
  headRepository: 'text',
  actor: 'text',
  actorAvatarUrl: 'text',
  url: 'text',
  createdAt: 'timestamptz',
  pullRequests: 'bigint[]',
});

/** A run's branch flag, which its jobs take over. */
export const branchFlagTable = defineTable<RunBranchFlag>('workflow_runs', 2, {
  integrationId: 'uuid',
  runId: 'bigint',
  onDefaultBranch: 'boolean',
});

export const jobTable = defineTable<JobRow>('workflow_jobs', 4, {
  integrationId: 'uuid',
  runId: 'bigint',
  attempt: 'integer',
  jobId: 'bigint',
  version: 'bytea',
  repository: 'text',
  name: 'text',
  status: 'text',
  conclusion: 'text',
  completedAt: 'timestamptz',
  onDefaultBranch: 'boolean',
  workflowName: 'text',
  headBranch: 'text',
  headSha: 'text',
  runnerName: 'text',
  runnerGroup: 'text',
  url: 'text',
  startedAt: 'timestamptz',
  createdAt: 'timestamptz',
  labels: 'text[]',
  steps: 'steps',
  olderFacts: 'json',
});

export const pullRequestTable = defineTable<PullRequestRow>('pull_requests', 3, {
  integrationId: 'uuid',
  repository: 'text',
  number: 'bigint',
  version: 'bytea',
  title: 'text',
  state: 'text',
  draft: 'boolean',
  merged: 'boolean',
  author: 'text',
  labels: 'text[]',
  headBranch: 'text',
  headSha: 'text',
  baseBranch: 'text',
  url: 'text',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
  closedAt: 'timestamptz',
  mergedAt: 'timestamptz',
});

export const reviewTable = defineTable<ReviewRow>('reviews', 2, {
  integrationId: 'uuid',
  reviewId: 'bigint',
  version: 'bytea',
  repository: 'text',
  pullRequestNumber: 'bigint',
  state: 'text',
  author: 'text',
  body: 'text',
  commitSha: 'text',
  url: 'text',
  submittedAt: 'timestamptz',
  updatedAt: 'timestamptz',
});
