import type { TableShape } from './multi-row.ts';
import type { JobCell, RunCell, RunnerCell } from './rollups.ts';
import type { AttemptRow, JobRow, PullRequestRow, ReviewRow, RunRow } from './rows.ts';

/** The tables of this module as the migration made them: key first, the rest as in the row. */

export const runTable: TableShape<RunRow> = {
  name: 'workflow_runs',
  keyLength: 2,
  columns: {
    integrationId: 'uuid',
    runId: 'bigint',
    version: 'bytea',
    attempt: 'integer',
    repository: 'text',
    status: 'text',
    conclusion: 'text',
    updatedAt: 'timestamptz',
    completedAt: 'timestamptz',
    startedAt: 'timestamptz',
    triggeringActor: 'text',
    runNumber: 'bigint',
    workflowId: 'bigint',
    workflowName: 'text',
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
    olderFacts: 'json',
  },
};

export const attemptTable: TableShape<AttemptRow> = {
  name: 'workflow_run_attempts',
  keyLength: 3,
  columns: {
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
  },
};

export const jobTable: TableShape<JobRow> = {
  name: 'workflow_jobs',
  keyLength: 4,
  columns: {
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
    steps: 'json',
    olderFacts: 'json',
  },
};

export const pullRequestTable: TableShape<PullRequestRow> = {
  name: 'pull_requests',
  keyLength: 3,
  columns: {
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
  },
};

export const reviewTable: TableShape<ReviewRow> = {
  name: 'reviews',
  keyLength: 2,
  columns: {
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
  },
};

export const runRollupTable: TableShape<RunCell> = {
  name: 'run_rollups',
  keyLength: 3,
  columns: {
    integrationId: 'uuid',
    hour: 'timestamptz',
    series: 'bytea',
    repository: 'text',
    workflow: 'text',
    onDefaultBranch: 'boolean',
    conclusion: 'text',
    runs: 'bigint',
    reruns: 'bigint',
    durationMs: 'bigint',
    durations: 'integer[]',
  },
};

export const jobRollupTable: TableShape<JobCell> = {
  name: 'job_rollups',
  keyLength: 3,
  columns: {
    integrationId: 'uuid',
    hour: 'timestamptz',
    series: 'bytea',
    repository: 'text',
    workflow: 'text',
    job: 'text',
    runnerLabels: 'text',
    onDefaultBranch: 'boolean',
    conclusion: 'text',
    jobs: 'bigint',
    billableMinutes: 'bigint',
    durationMs: 'bigint',
    queueMs: 'bigint',
    durations: 'integer[]',
    queueTimes: 'integer[]',
  },
};

export const runnerRollupTable: TableShape<RunnerCell> = {
  name: 'runner_rollups',
  keyLength: 3,
  columns: {
    integrationId: 'uuid',
    hour: 'timestamptz',
    runner: 'text',
    jobs: 'bigint',
    busyMs: 'bigint',
  },
};
