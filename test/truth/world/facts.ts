/** What a forge says in one event. The model knows a world by these alone, never by payloads. Times are milliseconds. */

export type Dialect = 'github' | 'gitea' | 'old gitea';

export interface RepositoryFact {
  /** Stays the same over renames and transfers. */
  id: number;
  host: string;
  fullName: string;
  defaultBranch: string;
}

export interface WorkflowFact {
  /** A number at GitHub, the name of a file at Gitea. */
  id: number | string;
  name: string;
  path: string;
}

export interface RunFact {
  kind: 'run';
  repository: RepositoryFact;
  workflow: WorkflowFact;
  runId: number;
  number: number;
  attempt: number;
  status: string;
  conclusion: string | null;
  /** What started it, such as `push`. */
  trigger: string;
  branch: string;
  /** The owner of the fork that the branch belongs to; null for the repository's own. */
  fork: string | null;
  /** Stays the same when the fork is renamed. */
  forkId: number | null;
  /** The fork was deleted: the forge no longer says whose branch it is. */
  isForkGone: boolean;
  sha: string;
  title: string;
  actor: string;
  /** Null when the forge does not say. */
  createdAt: number | null;
  /** Whether the forge reports the start of a run. Otherwise the first job that starts shows it. */
  reportsStart: boolean;
  /** Of the attempt. */
  startedAt: number | null;
  /** Set when it is completed. */
  endedAt: number | null;
}

export interface JobFact {
  kind: 'job';
  repository: RepositoryFact;
  runId: number;
  attempt: number;
  jobId: number;
  name: string;
  workflow: WorkflowFact;
  branch: string;
  sha: string;
  status: string;
  conclusion: string | null;
  label: string;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

export interface PullFact {
  kind: 'pull';
  repository: RepositoryFact;
  number: number;
  title: string;
  state: 'open' | 'closed';
  branch: string;
  sha: string;
  fork: string | null;
  forkId: number | null;
  isForkGone: boolean;
  author: string;
  /** The branch that it is to be merged into. */
  base: string;
  updatedAt: number;
  closedAt: number | null;
}

export type Fact = RunFact | JobFact | PullFact;

/** An event as the forge posts it. */
export interface Delivery {
  deliveryId: string;
  /** When the forge made it. Later deliveries of an object replace what earlier ones said. */
  order: number;
  event: string;
  headers: Record<string, string>;
  payload: object;
  fact: Fact;
}
