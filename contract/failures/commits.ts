import { Type, type Static } from 'typebox';
import { nullable, Time } from '../base/schema.ts';
import { LastGreen } from './blame.ts';

/** More commits of a range are counted only. */
export const maxRangeCommits = 300;

/** A commit after the last success up to the first failure. */
const RangeCommit = Type.Object({
  sha: Type.String(),
  title: nullable(Type.String()),
  /** The login, or the name in the commit. */
  author: nullable(Type.String()),
  at: nullable(Time),
  /** False for a commit that came with a merge: the branch itself never was at it. */
  isOnBranch: Type.Boolean(),
  /** The first run of the branch with it, when one is stored. */
  runId: nullable(Type.Integer()),
  /** The stored pull request that the title names. */
  pullRequest: nullable(Type.Integer()),
  /** Files that it changes and that the errors of the run name, at most `maxNamedFiles`. Null when its files were not read. */
  files: nullable(Type.Array(Type.String())),
});
export type RangeCommit = Static<typeof RangeCommit>;

export const maxNamedFiles = 5;

/**
 * `reading`: the forge is asked. `no_connection`: there is no connection to the forge that sees the repository. `unreadable`: the forge
 * did not return them. `none`: nothing to list, because the run is not red, its failure is flaky or infrastructure, no success before it
 * is known, or the same commit passed before.
 */
const commitStates = ['read', 'reading', 'no_connection', 'unreadable', 'none'] as const;

/** All commits that can have made a workflow red, as of one of its runs. */
export const RunCommits = Type.Object({
  state: Type.Enum([...commitStates]),
  lastGreen: nullable(LastGreen),
  /** The first failed run, and its commit. */
  firstRed: nullable(Type.Object({ runId: Type.Integer(), sha: nullable(Type.String()) })),
  /** The forge’s page of the repository, for links. */
  repositoryUrl: nullable(Type.String()),
  /** Oldest first, at most `maxRangeCommits`. */
  commits: Type.Array(RangeCommit),
  /** How many there are. */
  total: Type.Integer(),
});
export type RunCommits = Static<typeof RunCommits>;
