import { Type, type Static } from 'typebox';
import { nullable, pageOf, strictObject, Time, Uuid } from '../base/schema.ts';
import { Percentiles } from './percentiles.ts';

/** Deployments to production: docs/guide/health.md defines each figure. */

/** Of one integration. */
export const mostDeploymentSources = 100;

/** Fewer deployments have no rate. */
export const fewestForRate = 10;

/** For how many deployments the pull requests are looked up, the newest first. */
export const maxRangesRead = 200;

const count = Type.Integer();
const text = Type.String();
const optionalText = nullable(text);
const Person = Type.Object({ userId: Uuid, name: optionalText });
const name = Type.String({ minLength: 1, maxLength: 255 });

/** Either an environment, of all repositories, or a workflow of a repository on its default branch, or one of its jobs. */
export const DeploymentSourceBody = strictObject({
  environment: Type.Optional(name),
  repository: Type.Optional(name),
  /** Needs `repository`. */
  workflow: Type.Optional(name),
  /** Needs `workflow`. Default: the whole run. */
  job: Type.Optional(name),
});
export type DeploymentSourceBody = Static<typeof DeploymentSourceBody>;

export const DeploymentSource = Type.Object({
  sourceId: Uuid,
  /** Null for a workflow. */
  environment: optionalText,
  repository: optionalText,
  workflow: optionalText,
  /** Null for the whole run. */
  job: optionalText,
  setAt: Time,
  /** Null when the person is gone. */
  setBy: nullable(Person),
});
export type DeploymentSource = Static<typeof DeploymentSource>;

const SeenEnvironment = Type.Object({
  environment: text,
  deployments: count,
  lastAt: Time,
  /** Whether the forge calls it a production environment. */
  isProduction: Type.Boolean(),
});
export type SeenEnvironment = Static<typeof SeenEnvironment>;

export const DeploymentSourcePage = Type.Object({
  ...pageOf(DeploymentSource).properties,
  /** Environments of the newest 10,000 deployments, by name, at most 200. */
  environments: Type.Array(SeenEnvironment),
});
export type DeploymentSourcePage = Static<typeof DeploymentSourcePage>;

/** By what a successful deployment counts as failed: see `Deployment.failure`. */
const failureRules = ['rollback', 'revert', 'hotfix'] as const;
export type FailureRule = (typeof failureRules)[number];

/**
 * Whether the pull requests of a deployment are known:
 * - `read`: they are.
 * - `repeated`: its commit was deployed before, so it has none of its own.
 * - `first`: no deployment before it is known.
 * - `reading`: the forge is asked for its commits.
 * - `no_connection`: no connection to the forge sees the repository.
 * - `unreadable`: the forge did not return the commits.
 * - `too_many`: more commits than are read, or an older deployment than those that are looked up.
 */
const contentStates = [
  'read',
  'repeated',
  'first',
  'reading',
  'no_connection',
  'unreadable',
  'too_many',
] as const;
export type ContentState = (typeof contentStates)[number];

export const Deployment = Type.Object({
  /** `deployment-` and its id at the forge, or `run-` or `job-` and the ids of what deployed. */
  key: text,
  repository: text,
  /** Null where a workflow is declared. */
  environment: optionalText,
  workflow: optionalText,
  job: optionalText,
  sha: text,
  ref: optionalText,
  /** The forge's page of the repository. */
  repositoryUrl: optionalText,
  /** Of the status that ended it, or the end of the run or job. */
  at: Time,
  creator: optionalText,
  /** The run that deployed, when it is known. */
  runId: nullable(count),
  attempt: nullable(count),
  /** The page at the forge, of a deployment without a run. */
  url: optionalText,
  /** False: it failed to deploy, which is no failure of a change. */
  isDeployed: Type.Boolean(),
  /** An older commit again. */
  isRollback: Type.Boolean(),
  /**
   * Why it counts as failed. Null when it does not.
   * - `rollback`: the next deployment was an older commit.
   * - `revert`: the next deployment reverts one of its commits or pull requests.
   * - `hotfix`: the next deployment has a pull request whose branch or label is called hotfix.
   * - `person`: somebody says so.
   */
  failure: nullable(
    Type.Object({
      rule: Type.Enum([...failureRules, 'person']),
      /** The next deployment, of a rule. */
      by: optionalText,
      /** The pull request that reverts or fixes. */
      pullRequest: nullable(count),
    }),
  ),
  /** What somebody said, which goes before the rules. */
  mark: nullable(Type.Object({ hasFailed: Type.Boolean(), at: Time, by: nullable(Person) })),
  /** From a failed deployment to the next one that did not fail. */
  recoveryMs: nullable(count),
  contents: Type.Enum([...contentStates]),
  /** Null when they are not known. */
  pullRequests: nullable(count),
});
export type Deployment = Static<typeof Deployment>;

/** A merged pull request with the first deployment to one place that contains it. */
export const DeployedPull = Type.Object({
  repository: text,
  number: count,
  title: optionalText,
  url: optionalText,
  mergedAt: Time,
  deployment: text,
  environment: optionalText,
  workflow: optionalText,
  deployedAt: Time,
  leadTimeMs: count,
});
export type DeployedPull = Static<typeof DeployedPull>;

export const Deployments = Type.Object({
  /** Successful ones, one for each commit and environment until another commit follows. Null when none is known. */
  deployed: nullable(count),
  /** For at least 10 deployments. */
  perWeek: nullable(Type.Number()),
  /** Since when deployments are known, when that is after `from`. */
  since: nullable(Time),
  notDeployed: count,
  /** Of the successful ones. */
  failed: count,
  /** From failed deployments of the range to the next one that did not fail, in milliseconds. */
  recoveries: Percentiles,
  /** From the merge of pull requests to their deployment, in milliseconds. */
  leadTime: Percentiles,
  /** Successful deployments whose pull requests are not known. */
  unknown: count,
  /** All deployments and those that failed to deploy. */
  count,
  /** Newest first, at most `limit`. */
  items: Type.Array(Deployment),
  /** Of the deployments of the range, newest first, at most `limit`. */
  pullRequests: Type.Array(DeployedPull),
});
export type Deployments = Static<typeof Deployments>;

export const DeploymentMarkBody = strictObject({ hasFailed: Type.Boolean() });
export type DeploymentMarkBody = Static<typeof DeploymentMarkBody>;

/** A key of `Deployment`. */
export const DeploymentKey = Type.String({
  pattern: '^(deployment-[0-9]{1,15}|run-[0-9]{1,15}-[0-9]{1,9}|job-[0-9]{1,15}-[0-9]{1,15})$',
});
