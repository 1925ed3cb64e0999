import type { RequestListener } from 'node:http';
import type { SampleCommit } from '#server/simulate/sample-forge/sample-commits.ts';
import { webhookExamples } from '#test/support/data/webhook-examples.ts';

export interface ForgeWebhook {
  id: number;
  active: boolean;
  events: string[];
  config: { url: string; secret: string; content_type: string };
}

export interface ForgeRepositoryState {
  id: number;
  /** `owner/name`. */
  name: string;
  defaultBranch: string;
  isArchived: boolean;
  webhooks: ForgeWebhook[];
  /** Newest first, as they are listed. */
  runs: ForgeRun[];
  /** The logs of jobs; a function answers the request for a log itself. */
  logs: Map<number, string | Buffer | RequestListener>;
  artifacts: TestArtifact[];
  /** The annotations of jobs. */
  annotations: Map<number, Json[]>;
  /** Those changed last first. */
  pullRequests: Json[];
  /** Checks that rulesets require on all branches; undefined refuses to tell. */
  rules: string[] | undefined;
  /** Checks that the protection of all branches requires. */
  protection: string[];
  /** Of the default branch, oldest first. */
  commits: SampleCommit[];
  /** Answers every change of a webhook so, when set. */
  refusesWebhooks: number | undefined;
}

export interface TestArtifact {
  id: number;
  name: string;
  runId: number;
  /** Of its archive; a function answers the request itself. */
  bytes: Buffer | RequestListener;
  createdAt?: Date;
  /** What the list says, instead of what is true. */
  said?: Json;
}

export type Json = Record<string, unknown>;
export interface ForgeRun {
  id: number;
  attempts: Json[];
  jobs: Json[];
}

const published = webhookExamples();
const publishedRun = published.find(
  ({ eventType, payload }) =>
    eventType === 'workflow_run' && (payload['workflow_run'] as Json)['status'] === 'completed',
)!.payload;
const publishedJob = published.find(
  ({ eventType, payload }) =>
    eventType === 'workflow_job' && (payload['workflow_job'] as Json)['status'] === 'completed',
)!.payload;

const publishedPullRequest = published.find(
  ({ eventType, payload }) =>
    eventType === 'pull_request' && (payload['pull_request'] as Json)['state'] === 'closed',
)!.payload;

let ids = 700_000;

export function newRepository(name: string, over: Partial<ForgeRepositoryState> = {}): ForgeRepositoryState {
  const id = ++ids;
  return {
    id,
    name,
    defaultBranch: 'main',
    isArchived: false,
    webhooks: [],
    runs: [],
    logs: new Map(),
    artifacts: [],
    annotations: new Map(),
    pullRequests: [],
    rules: [],
    protection: [],
    commits: [],
    refusesWebhooks: undefined,
    ...over,
  };
}

/** A run as the forge tells of it, made from a published one. Times are of the run; `over` is of its latest attempt. */
export function newRun(
  repository: ForgeRepositoryState,
  createdAt: Date,
  { attempts = 1, jobs = 1, ...over }: Json & { attempts?: number; jobs?: number } = {},
): ForgeRun {
  const id = ++ids;
  const at = (seconds: number) => new Date(createdAt.getTime() + seconds * 1000).toISOString();
  const minimal = {
    ...((publishedRun['workflow_run'] as Json)['repository'] as Json),
    id: repository.id,
    full_name: repository.name,
  };
  const run = (attempt: number): Json => ({
    ...(publishedRun['workflow_run'] as Json),
    id,
    run_number: id,
    display_title: `Run ${id}`,
    run_attempt: attempt,
    status: 'completed',
    conclusion: attempt === attempts ? 'success' : 'failure',
    head_branch: 'main',
    created_at: at(0),
    run_started_at: at(attempt * 100),
    updated_at: at(attempt * 100 + 60),
    repository: minimal,
    head_repository: minimal,
    ...(attempt === attempts ? over : {}),
  });
  const numbers = Array.from({ length: attempts }, (_, index) => index + 1);
  const job = (attempt: number): Json => ({
    ...(publishedJob['workflow_job'] as Json),
    id: ++ids,
    run_id: id,
    run_attempt: attempt,
    conclusion: attempt === attempts ? 'success' : 'failure',
    head_branch: 'main',
    created_at: at(attempt * 100),
    started_at: at(attempt * 100 + 5),
    completed_at: at(attempt * 100 + 55),
  });
  return {
    id,
    attempts: numbers.map(run),
    jobs: numbers.flatMap((attempt) => Array.from({ length: jobs }, () => job(attempt))),
  };
}

/** A merged pull request as lists show it, made from a published one. */
export function newPullRequest(number: number, createdAt: Date, mergedAt: Date): Json {
  const { merged: _merged, ...published } = publishedPullRequest['pull_request'] as Json;
  const at = mergedAt.toISOString();
  const times = { created_at: createdAt.toISOString(), updated_at: at, closed_at: at, merged_at: at };
  return { ...published, ...times, id: ++ids, number, state: 'closed' };
}

/** A repository as the list of an installation's shows it. */
export function fullRepository({ id, name, defaultBranch, isArchived }: ForgeRepositoryState): Json {
  const from = publishedRun['repository'] as Json;
  const at = {
    created_at: '2026-11-01T00:00:00Z',
    updated_at: '2026-11-01T00:00:00Z',
    pushed_at: '2026-11-01T00:00:00Z',
  };
  return {
    ...from,
    ...at,
    id,
    full_name: name,
    default_branch: defaultBranch,
    archived: isArchived,
    disabled: false,
  };
}
