import type { JobStep } from '#contract/monitoring.ts';
import type { Version } from './staleness.ts';

/** Rows as they are stored. Times are milliseconds since the epoch. */

/** The common fields of rows that several events update. */
export interface VersionedRow {
  integrationId: string;
  version: Version;
}

/**
 * Facts that come from an older event than the row's version, with that event's version in hex. Null when the newest event had
 * all facts, which is the usual case.
 */
export type OlderFacts = Record<string, string> | null;

/** An earlier attempt of a run. The newest attempt is part of the run's row. */
export interface AttemptRow extends VersionedRow {
  runId: number;
  attempt: number;
  repository: string;
  status: string;
  conclusion: string | null;
  completedAt: number | null;
  onDefaultBranch: boolean;
  workflowName: string | null;
  startedAt: number | null;
  triggeringActor: string | null;
  olderFacts: OlderFacts;
}

/** A run with its newest attempt. */
export interface RunRow extends AttemptRow {
  updatedAt: number | null;
  runNumber: number | null;
  workflowId: number | null;
  workflowPath: string | null;
  event: string | null;
  title: string | null;
  commitMessage: string | null;
  headBranch: string | null;
  headSha: string | null;
  headRepository: string | null;
  actor: string | null;
  actorAvatarUrl: string | null;
  url: string | null;
  createdAt: number;
  pullRequests: number[];
}

export type RunBranchFlag = Pick<RunRow, 'integrationId' | 'runId' | 'onDefaultBranch'>;

export interface JobRow extends VersionedRow {
  runId: number;
  attempt: number;
  jobId: number;
  repository: string;
  name: string;
  status: string;
  conclusion: string | null;
  completedAt: number | null;
  /** Taken from the run. Until the run is stored, derived from the branch name alone. */
  onDefaultBranch: boolean;
  workflowName: string | null;
  headBranch: string | null;
  headSha: string | null;
  runnerName: string | null;
  runnerGroup: string | null;
  url: string | null;
  startedAt: number | null;
  createdAt: number | null;
  labels: string[];
  steps: JobStep[];
  olderFacts: OlderFacts;
}

export interface PullRequestRow extends VersionedRow {
  repository: string;
  number: number;
  title: string | null;
  state: string | null;
  draft: boolean;
  merged: boolean;
  author: string | null;
  labels: string[];
  headBranch: string | null;
  headSha: string | null;
  baseBranch: string | null;
  url: string | null;
  createdAt: number | null;
  updatedAt: number | null;
  closedAt: number | null;
  mergedAt: number | null;
}

export interface ReviewRow extends VersionedRow {
  reviewId: number;
  repository: string;
  pullRequestNumber: number;
  state: string | null;
  author: string | null;
  body: string | null;
  commitSha: string | null;
  url: string | null;
  submittedAt: number | null;
  updatedAt: number | null;
}
