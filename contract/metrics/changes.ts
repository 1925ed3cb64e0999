import { Type, type Static } from 'typebox';
import { nullable, Time, TimeInput, strictObject } from '../base/schema.ts';
import { branchClasses, granularities, longestGroupName, TimeZoneInput } from './metrics.ts';

/** What became worse from one period to the next: workflows and jobs, with the evidence. */

/** The longest period. It is compared with the one before, so twice as many days are read. */
export const longestChangeDays = 92;

/** With fewer completed runs or jobs than this in either period, nothing is compared. */
export const minimumRuns = 20;

/** The expected share of false entries among all that are listed. */
export const falseDiscoveryRate = 0.05;

/** A significant difference is listed only if it is also this large. */
export const changeThresholds = {
  /** Everything rises by this share of what it was. */
  share: 0.1,
  /** The median of a duration rises by this many milliseconds. */
  durationMs: 5000,
  /** A share of runs rises by this much. */
  failedShare: 0.05,
  recoveredShare: 0.02,
  /** Billable minutes rise by this many. They are compared by the day, in periods of at least so many days. */
  minutes: 10,
  minutesDays: 7,
} as const;

/** In the order of the list. */
export const changeKinds = ['failing', 'flakier', 'slower', 'costlier'] as const;
export type ChangeKind = (typeof changeKinds)[number];

const filter = Type.Optional(Type.String({ maxLength: longestGroupName }));

export const ChangesQuery = strictObject({
  /** Rounded down to the hour for up to two days, else to the day. Default: a week before `to`. */
  from: Type.Optional(TimeInput),
  /** Default: now. The hour or day that contains it is included. */
  to: Type.Optional(TimeInput),
  repository: filter,
  /** The workflow's name. */
  workflow: filter,
  branch: Type.Optional(Type.Enum([...branchClasses])),
  timeZone: TimeZoneInput,
});
export type ChangesQuery = Static<typeof ChangesQuery>;

const count = Type.Integer();
const optionalMs = nullable(Type.Integer());
const optionalShare = nullable(Type.Number());

/** Numbers of a workflow or job in one period. Shares are null when no run succeeded or failed. */
export const ChangeNumbers = Type.Object({
  /** Runs of a workflow by the completion of their newest attempt; completed jobs of all attempts. */
  runs: count,
  /** Of these, those that succeeded or failed. */
  decided: count,
  failed: count,
  failedShare: optionalShare,
  /** Runs that succeeded in a later attempt than the first. Jobs whose re-run succeeded after a failure. */
  recovered: count,
  recoveredShare: optionalShare,
  durationP50Ms: optionalMs,
  durationP95Ms: optionalMs,
  billableMinutes: count,
});
export type ChangeNumbers = Static<typeof ChangeNumbers>;

/** A run at one end of a moment. */
const ChangedRun = Type.Object({
  runId: Type.Integer(),
  runNumber: nullable(Type.Integer()),
  headSha: nullable(Type.String()),
  title: nullable(Type.String()),
  completedAt: Time,
});
export type ChangedRun = Static<typeof ChangedRun>;

/** When the level moved, as a range of runs in the order of completion. */
const Moment = Type.Object({
  /** The last run before the moment and the first after it. The change began with `after` or with a run between both. */
  before: ChangedRun,
  after: ChangedRun,
  /** Completion of the run that is most likely the first of the new level. */
  at: Time,
  /** The forge's page with the commits between both runs, if they have the same branch. */
  compareUrl: nullable(Type.String()),
});
export type Moment = Static<typeof Moment>;

/** A job or step of it that changed in the same way. Values are in the unit of the change: milliseconds of the median, or shares. */
const ChangedPart = Type.Object({
  job: Type.String(),
  /** Null for the job. */
  step: nullable(Type.String()),
  before: Type.Number(),
  after: Type.Number(),
});
export type ChangedPart = Static<typeof ChangedPart>;

export const Change = Type.Object({
  kind: Type.Enum([...changeKinds]),
  repository: Type.String(),
  workflow: Type.String(),
  /** Null for a workflow. A job of a listed workflow is one of its `parts` if it changed in the same way. */
  job: nullable(Type.String()),
  before: ChangeNumbers,
  after: ChangeNumbers,
  /** The probability of a difference at least this large when nothing changed. */
  probability: Type.Number(),
  /** Null when the order of the runs does not show a moment. */
  since: nullable(Moment),
  /** Those that changed most, at most 3. */
  parts: Type.Array(ChangedPart),
  /** The number that changed, for each hour or day of both periods; null when nothing completed in it. */
  trend: Type.Array(nullable(Type.Number())),
});
export type Change = Static<typeof Change>;

export const Changes = Type.Object({
  from: Time,
  to: Time,
  /** Start of the period before, which ends at `from`. */
  previousFrom: Time,
  granularity: Type.Enum([...granularities]),
  /** Whose days are counted. UTC for more than 31 days. */
  timeZone: Type.String(),
  /** Workflows and jobs that have enough runs in both periods. */
  compared: count,
  /** All that changed. */
  count,
  /** By kind in the order of `changeKinds`, then the largest first; at most 30. */
  items: Type.Array(Change),
  /** False when a period has so many re-runs that the re-runs of jobs are not compared. */
  comparesFlakyJobs: Type.Boolean(),
});
export type Changes = Static<typeof Changes>;
