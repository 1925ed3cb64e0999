/**
 * Reads from a forge and acts at it, through one connection of an integration. Each kind of forge has an adapter. Runs, jobs and
 * pull requests have the shape of GitHub's webhooks. Calls reject with `ForgeError` or `RateLimited`.
 */
export interface Forge {
  /** Whose credential it is. For access tokens. */
  verifyAccount(): Promise<ForgeAccount>;
  /** Without archived and disabled repositories: they run nothing. */
  listRepositories(): Promise<ForgeRepository[]>;
  /** One page of runs, newest first. Pages start at 1. */
  listRuns(repository: string, page: number): Promise<RunPage>;
  /** Undefined when the run was deleted. */
  readRun(repository: string, runId: number): Promise<unknown>;
  readAttempt(repository: string, runId: number, attempt: number): Promise<unknown>;
  /** The jobs of all attempts. */
  listJobs(repository: string, runId: number): Promise<unknown[]>;
  /** One page of pull requests, most recently changed first. Pages start at 1. */
  listPullRequests(repository: string, page: number): Promise<PullRequestPage>;
  /**
   * The bytes of a job's log, by default at most the last `maxLogBytes`. Closes the connection when the loop over it ends early. The first
   * step rejects with the status 404 or 410 when there is no log or no longer one.
   */
  readJobLog(repository: string, jobId: number, extent?: LogExtent): AsyncIterable<Uint8Array>;
  /** Of all attempts of the run, at most 1000. Rejects with the status 404 also at forges whose API has no artifacts. */
  listArtifacts(repository: string, runId: number): Promise<ForgeArtifact[]>;
  /** The bytes of an artifact, in general a zip archive. Rejects with 404 or 410 when it has expired. */
  readArtifact(repository: string, artifactId: number): AsyncIterable<Uint8Array>;
  /** At most 100, in the order of the forge. Empty at forges without annotations. */
  listAnnotations(repository: string, jobId: number): Promise<Annotation[]>;
  /** The commits that `head` has and `base` has not, oldest first, at most `most`. */
  compareCommits(repository: string, base: string, head: string, most: number): Promise<Comparison>;
  /** The paths of the files that a commit changes. Undefined when the commit is gone. */
  listFilesOf(repository: string, sha: string): Promise<string[] | undefined>;
  /** The checks that must pass before a merge into the branch. */
  readRequiredChecks(repository: string, branch: string): Promise<RequiredCheckNames>;
  /** Creates or updates the webhook and returns its id. */
  saveWebhook(repository: string, webhook: RepositoryWebhook, webhookId: number | undefined): Promise<number>;
  removeWebhook(repository: string, webhookId: number): Promise<void>;
  /** Runs the failed jobs and those that depend on them again. */
  rerunFailed(repository: string, runId: number): Promise<void>;
  rerunAll(repository: string, runId: number): Promise<void>;
  /** Runs a job and those that depend on it again. */
  rerunJob(repository: string, runId: number, jobId: number): Promise<void>;
  cancel(repository: string, runId: number): Promise<void>;
}

/** The end of a log, or as much from its start as the caller takes. */
export type LogExtent = 'end' | 'whole';

/** The forges that integrations are connected to. They take ids of runs and jobs as they are stored. */
export interface Forges {
  /** Through an installation of the application; null means the access token of the integration. */
  ofConnection(integrationId: string, installationId: string | null): Promise<Forge>;
  /** Through the connection that sees the repository with this stored name, by that name; undefined when there is none. */
  ofRepository(integrationId: string, repository: string): Promise<Forge | undefined>;
  /** Background calls through the connection count as one until the returned function is called. Only for a moment: others wait. */
  keepPlace(integrationId: string, installationId: string | null): () => Promise<void>;
}

export interface ForgeAccount {
  login: string;
  /** Empty when the forge does not name them. */
  permissions: string[];
  /** Undefined when the forge does not say. */
  expiresAt: Date | undefined;
}

export interface ForgeRepository {
  /** `owner/name`. */
  name: string;
  defaultBranch: string | null;
  /** Whether the credential may create webhooks. */
  mayAdminister: boolean;
}

export interface RepositoryWebhook {
  url: string;
  secret: string;
  events: readonly string[];
  isActive: boolean;
}

export interface RunPage {
  runs: { id: number | bigint; created_at: string }[];
  isLast: boolean;
}

export interface PullRequestPage {
  pullRequests: { updated_at: string; merged_at: string | null }[];
  isLast: boolean;
}

export interface Comparison {
  total: number;
  commits: ForgeCommit[];
}

export interface RequiredCheckNames {
  checks: string[];
  /** Patterns of `workflow / job (event)` instead of names of jobs. */
  arePatterns: boolean;
}

export interface ForgeCommit {
  sha: string;
  message: string;
  /** The login, or the name in the commit. */
  author: string | null;
  at: string | null;
  parents: string[];
  /** The paths of the files that it changes; undefined when the comparison does not tell. */
  files: string[] | undefined;
}

export interface ForgeArtifact {
  id: number;
  name: string;
  /** Null when the forge does not say. */
  size: number | null;
  isExpired: boolean;
  createdAt: Date | null;
  /** The run that it says it belongs to, by the id of the forge. */
  runId: number | null;
}

export interface Annotation {
  level: 'notice' | 'warning' | 'failure';
  title: string | null;
  message: string;
  path: string;
  line: number;
}
