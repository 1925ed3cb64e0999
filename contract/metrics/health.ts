import { Type, type Static } from 'typebox';
import { nullable, Time, TimeInput, strictObject } from '../base/schema.ts';
import { Deployments } from './deployments.ts';
import { LabelMinutes, longestGroupName, TimeZoneInput } from './metrics.ts';
import { Cost } from './minute-prices.ts';
import { Percentiles } from './percentiles.ts';

/** How long a branch was red, how it was fixed, and what was merged meanwhile. docs/guide/health.md defines each figure. */

/** The longest period. */
export const longestHealthDays = 92;

/** A workflow without a result for this time no longer counts as red: nobody can tell whether it would still fail. */
export const redExpiresAfterDays = 30;

/** The share of checks is that of the newest pull requests. */
export const maxCheckedPulls = 200;

const filter = Type.Optional(Type.String({ minLength: 1, maxLength: longestGroupName }));

export const HealthQuery = strictObject({
  /** Rounded down to the day. Default: 30 days before `to`. */
  from: Type.Optional(TimeInput),
  /** Default: now. The day that contains it is included. */
  to: Type.Optional(TimeInput),
  /** Default: all. */
  repository: filter,
  /** The name of a branch. Default: the default branch of each repository. */
  branch: filter,
  /** The longest list of periods and pull requests. */
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 200 })),
  timeZone: TimeZoneInput,
});
export type HealthQuery = Static<typeof HealthQuery>;

const count = Type.Integer();
const text = Type.String();
const optionalText = nullable(text);
const ms = Type.Integer();

/**
 * What ended a red period:
 * - `rerun`: the commit that had failed passed in a later attempt or run.
 * - `revert`: the commit that passed says that it reverts another one.
 * - `commit`: another commit passed.
 * - `stopped`: nothing passed or failed for 30 days.
 */
export const redEndings = ['commit', 'rerun', 'revert', 'stopped'] as const;
export type RedEnding = (typeof redEndings)[number];

const PeriodRun = Type.Object({
  runId: count,
  attempt: count,
  workflow: text,
  headSha: optionalText,
});

/** A time during which at least one workflow was red on the branch, without a gap. */
export const RedPeriod = Type.Object({
  repository: text,
  branch: optionalText,
  /** The end of the first failed run. False `sinceIsKnown`: it may have been red before. */
  since: Time,
  sinceIsKnown: Type.Boolean(),
  /** The end of the run after which no workflow was red. Null while it is red. */
  until: nullable(Time),
  durationMs: ms,
  /** Of the duration, what is in the requested range. */
  redMs: ms,
  /** Null while it is red. */
  endedBy: nullable(Type.Enum([...redEndings])),
  first: PeriodRun,
  /** The run that ended it. Null while it is red, and when it stopped. */
  last: nullable(PeriodRun),
  /** At most 10. */
  workflows: Type.Array(Type.Object({ workflow: text })),
});
export type RedPeriod = Static<typeof RedPeriod>;

const share = Type.Object({ periods: count, redMs: ms });

const BranchHealth = Type.Object({
  /** Branches with a result up to the end of the range. */
  branches: count,
  /** For how long their state was known in the range, added up. Null when no branch has a result. */
  observedMs: nullable(ms),
  /** Added up over the branches. Null when no branch has a result. */
  redMs: nullable(ms),
  /** Of it, by what ended the period; `open` for what is red at the end of the range. */
  byEnding: Type.Object({ commit: share, rerun: share, revert: share, stopped: share, open: share }),
  /** How many milliseconds it took, of the periods that a run ended in the range, from their beginning. */
  recoveries: Percentiles,
  /** All periods in the range. */
  count,
  /** Newest first, at most `limit`. */
  periods: Type.Array(RedPeriod),
  /** Workflows that people hide. They are left out. */
  hiddenWorkflows: count,
});
export type BranchHealth = Static<typeof BranchHealth>;

const RedMerge = Type.Object({
  repository: text,
  number: count,
  title: optionalText,
  url: optionalText,
  mergedAt: Time,
});
export type RedMerge = Static<typeof RedMerge>;

const optionalMs = nullable(ms);

/** A merged pull request. What is not known, for example without a review, is null. */
const MergedPull = Type.Object({
  ...RedMerge.properties,
  timeToMergeMs: optionalMs,
  /** From opening to the first review by another person, before the merge. */
  firstReviewMs: optionalMs,
  /** From the last approval by another person. */
  approvalToMergeMs: optionalMs,
  /** Commits for which another person requested changes, and which another commit followed. */
  rounds: nullable(count),
  /**
   * From when the checks of the last commit had passed, all required ones or all runs when none is known to be required. Null when they
   * had not. Only of the newest 200.
   */
  greenToMergeMs: optionalMs,
  /** For how much of the time to merge at least one run of it waited or ran. Only of the newest 200. */
  checksMs: optionalMs,
});
export type MergedPull = Static<typeof MergedPull>;

const Flow = Type.Object({
  /** Pull requests that were merged into the branch in the range; the newest 5,000. */
  merged: count,
  /** In milliseconds. */
  timeToMerge: Percentiles,
  firstReview: Percentiles,
  approvalToMerge: Percentiles,
  greenToMerge: Percentiles,
  /** Of those with a review by another person. */
  rounds: Percentiles,
  /** Pull requests with at least one round. */
  reworked: count,
  /** The median share of the time to merge during which runs waited or ran, of the newest 200. */
  checks: Type.Object({ count, p50: nullable(Type.Number()) }),
  /** Newest first, at most `limit`. */
  items: Type.Array(MergedPull),
});
export type Flow = Static<typeof Flow>;

/**
 * How billable minutes were lost. What was lost in two ways counts in the first one:
 * - `rerun`: jobs of a later attempt.
 * - `superseded`: jobs of a run that a newer one took the place of.
 * - `afterFailure`: what jobs were billed after the first one of their run had failed.
 */
export const lostKinds = ['rerun', 'superseded', 'afterFailure'] as const;
export type LostKind = (typeof lostKinds)[number];
const lostKind = Type.Enum([...lostKinds]);

/** By currency; empty where no price is set. */
const costs = Type.Array(Cost);

const LostRun = Type.Object({
  kind: lostKind,
  repository: text,
  workflow: text,
  runId: count,
  runNumber: nullable(count),
  title: optionalText,
  jobs: count,
  minutes: count,
  /** Of the minutes whose labels had a price. */
  costs,
  /** When it completed. */
  at: Time,
});
export type LostRun = Static<typeof LostRun>;

export const PricedMinutes = Type.Object({ ...LabelMinutes.properties, costs });
export type PricedMinutes = Static<typeof PricedMinutes>;

/** On all branches. Each job is rounded up to whole minutes, as forges bill. */
const Minutes = Type.Object({
  /** Null when no job completed in the range. */
  total: nullable(count),
  lost: Type.Array(
    Type.Object({
      kind: lostKind,
      runs: count,
      minutes: count,
      /** Of the minutes whose labels had a price. */
      costs,
      /** Set when there are so many that only those since then are counted. */
      since: nullable(Time),
    }),
  ),
  /** All runs that lost minutes. One may have lost them in several ways. */
  count,
  /** Most minutes first, at most `limit`. */
  runs: Type.Array(LostRun),
  /** Of all labels that have a price. */
  costs,
  /** By runner labels, most first: at most 20, and all that have a price. */
  labels: Type.Array(PricedMinutes),
});
export type Minutes = Static<typeof Minutes>;

export const Health = Type.Object({
  from: Time,
  to: Time,
  /** Whose days are counted. */
  timeZone: text,
  /** The requested branch. Null for the default branch of each repository. */
  branch: optionalText,
  /** Since when runs are known, when that is after `from`: older ones are deleted or were never received, or there are too many. */
  coveredFrom: nullable(Time),
  main: BranchHealth,
  /** Pull requests that were merged into the branch while its state was known. */
  merges: Type.Object({
    count,
    /** While it was red. Null when none was merged. */
    intoRed: nullable(count),
    /** Those into a red branch, newest first, at most `limit`. */
    items: Type.Array(RedMerge),
  }),
  flow: Flow,
  minutes: Minutes,
  /** Null when nothing is declared as a deployment to production. */
  deployments: nullable(Deployments),
});
export type Health = Static<typeof Health>;
