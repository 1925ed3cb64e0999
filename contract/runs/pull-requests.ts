import { Type, type Static } from 'typebox';
import { nullable, pageOf, pageQuery, Time, strictObject } from '../base/schema.ts';
import { CheckVerdict } from '../failures/check-verdict.ts';
import { CheckFailure } from '../failures/failures.ts';
import { TestTotals } from '../tests/tests.ts';
import { WorkflowRun } from './runs.ts';

const text = Type.String();
const optionalText = nullable(text);
const optionalTime = nullable(Time);
const count = Type.Integer();

/** A pull request as its newest event shows it. */
export const PullRequest = Type.Object({
  repository: text,
  number: Type.Integer(),
  title: optionalText,
  /** `open` or `closed`. */
  state: optionalText,
  draft: Type.Boolean(),
  merged: Type.Boolean(),
  author: optionalText,
  labels: Type.Array(text),
  headBranch: optionalText,
  headSha: optionalText,
  baseBranch: optionalText,
  url: optionalText,
  createdAt: optionalTime,
  updatedAt: optionalTime,
  closedAt: optionalTime,
  mergedAt: optionalTime,
});
export type PullRequest = Static<typeof PullRequest>;

/**
 * The state of all checks of a commit, the first that applies:
 * - `failed`: a run failed or timed out.
 * - `action_required`: a run waits for an approval.
 * - `cancelled`: a run was cancelled.
 * - `running`: a run is not completed.
 * - `passed`: a run succeeded.
 * - `none`: no run, or only skipped ones.
 */
export const checkStates = ['failed', 'action_required', 'cancelled', 'running', 'passed', 'none'] as const;
export type CheckState = (typeof checkStates)[number];

/** The newest run of each workflow for a commit. */
export const CheckSummary = Type.Object({
  state: Type.Enum([...checkStates]),
  total: count,
  failed: count,
  actionRequired: count,
  cancelled: count,
  running: count,
  passed: count,
  /** Of the first failed run. */
  errorLine: optionalText,
});
export type CheckSummary = Static<typeof CheckSummary>;

const reviewDecisions = ['approved', 'changes_requested'] as const;
/** What the newest review of each reviewer decides: one request for changes outweighs approvals. */
export type ReviewDecision = (typeof reviewDecisions)[number];

export const PullRequestItem = Type.Object({
  ...PullRequest.properties,
  /** Of the newest commit. */
  checks: CheckSummary,
  /** Of the newest commit with which the merge queue tested it. Null when it never did, and when the pull request is closed. */
  mergeQueue: nullable(CheckSummary),
  review: nullable(Type.Enum([...reviewDecisions])),
});
export type PullRequestItem = Static<typeof PullRequestItem>;

export const PullRequestPage = pageOf(PullRequestItem);
export type PullRequestPage = Static<typeof PullRequestPage>;

const name = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

export const PullRequestQuery = strictObject({
  ...pageQuery,
  /** A number, a branch or the first seven or more characters of a SHA; otherwise words of the title. */
  q: name,
  repository: name,
  author: name,
  state: Type.Optional(Type.Enum(['open', 'closed'])),
});
export type PullRequestQuery = Static<typeof PullRequestQuery>;

/** The open pull requests of the caller, at most `maxMine`: those that need attention first. */
export const MyPullRequests = Type.Object({
  /** The caller's account at the forge; null when they signed in without one. */
  forgeLogin: optionalText,
  items: Type.Array(PullRequestItem),
});
export type MyPullRequests = Static<typeof MyPullRequests>;
export const maxMine = 100;

export const PullRequestDetailQuery = strictObject({
  /** Needed when several repositories have a pull request with the number. */
  repository: name,
});

export const CheckJob = Type.Object({
  jobId: Type.Integer(),
  name: text,
  status: text,
  conclusion: optionalText,
  url: optionalText,
  startedAt: optionalTime,
  completedAt: optionalTime,
  /** The base branch requires it, as far as that is known. */
  isRequired: Type.Boolean(),
  /** Why the job failed; null for other jobs, and until the reason is known. */
  failure: nullable(CheckFailure),
  /** What the failure means at present, of failed jobs of the newest commit while the pull request is open. Null for others. */
  verdict: nullable(CheckVerdict),
});
export type CheckJob = Static<typeof CheckJob>;

export const Check = Type.Object({
  run: WorkflowRun,
  /** Of the newest attempt. */
  jobs: Type.Array(CheckJob),
  /** The same for a run that failed without a failed job. */
  verdict: nullable(CheckVerdict),
  /** What reports told of the newest attempt. Null without a report. */
  tests: nullable(TestTotals),
});
export type Check = Static<typeof Check>;

const Commit = Type.Object({
  sha: text,
  /** The first line of its message, as far as a run reports it. */
  title: optionalText,
  summary: CheckSummary,
  /** Newest run first. */
  checks: Type.Array(Check),
});
export type Commit = Static<typeof Commit>;

const Review = Type.Object({
  author: optionalText,
  state: optionalText,
  commitSha: optionalText,
  url: optionalText,
  submittedAt: optionalTime,
});
export type Review = Static<typeof Review>;

const requiredStates = ['failed', 'running', 'passed', 'missing'] as const;

const RequiredCheck = Type.Object({
  /** As the forge names it: a job, or at Gitea and Forgejo a pattern of `workflow / job (event)`. */
  name: text,
  /** Of its jobs for the newest commit. `missing`: no job with the name was reported; it may be a check of another program. */
  state: Type.Enum([...requiredStates]),
});
export type RequiredCheck = Static<typeof RequiredCheck>;

/**
 * What the protection of the base branch requires, as of the last hour in which a run of a pull request ended. `reading`: not read yet.
 * `no_connection`: there is no connection to the forge that sees the repository. `unreadable`: the forge refuses to tell.
 */
const RequiredChecks = Type.Object({
  state: Type.Enum(['known', 'reading', 'no_connection', 'unreadable']),
  /** Empty unless the state is `known`. */
  checks: Type.Array(RequiredCheck),
});
export type RequiredChecks = Static<typeof RequiredChecks>;

export const PullRequestDetail = Type.Object({
  pullRequest: PullRequest,
  requiredChecks: RequiredChecks,
  review: PullRequestItem.properties.review,
  /**
   * How long the checks of the last commit had passed before the merge: all required ones, or all runs when none is known to be
   * required. Null when it is not merged, or its checks had not passed.
   */
  greenToMergeMs: nullable(count),
  /** The newest review of each reviewer, newest first. */
  reviews: Type.Array(Review),
  /** The newest commit first, also when it has no checks. */
  commits: Type.Array(Commit),
  /** Runs of the merge queue that tested the pull request, newest first. */
  mergeQueue: Type.Array(Check),
  /** False when older commits or jobs are left out, because there are too many. */
  isComplete: Type.Boolean(),
});
export type PullRequestDetail = Static<typeof PullRequestDetail>;
