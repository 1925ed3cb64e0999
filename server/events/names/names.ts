/** A repository of an integration. */
export interface RepositoryName {
  integrationId: string;
  /** Stands for the repository in every table. The first name that was seen, so it is not for display. */
  repository: string;
  forgeId: number | null;
  host: string | null;
  /** Of its forge among those of the integration. */
  place: number;
  fullName: string;
  /** For display: the newest name, with an addition while another repository has it too. */
  shownName: string;
  /** Names between the first and the newest one. */
  earlierNames: readonly string[];
  defaultBranch: string | null;
  /** Milliseconds. */
  namedAt: number;
}

/** A workflow of a repository. */
export interface WorkflowName {
  integrationId: string;
  repository: string;
  /** Stands for the workflow in every table. */
  workflow: string;
  ref: string;
  name: string;
  shownName: string;
  earlierNames: readonly string[];
  path: string | null;
  namedAt: number;
}

/** A fork as the newest event of a run or pull request from it names it. */
export interface ForkName {
  integrationId: string;
  forkId: number;
  fullName: string;
  /** Milliseconds. */
  namedAt: number;
}

export interface Names {
  repositories: readonly RepositoryName[];
  workflows: readonly WorkflowName[];
  hosts: readonly HostPlace[];
  forks: readonly ForkName[];
}

/** A forge that events of an integration come from. */
export interface HostPlace {
  integrationId: string;
  host: string;
  /** Null when the integration has no repository of it yet. */
  place: number | null;
  /** Of all its forges; null when it has none yet. */
  highest: number | null;
}
