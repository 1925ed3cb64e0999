import { Type, type Static } from 'typebox';
import { nullable, Time, TimeInput, strictObject } from '../base/schema.ts';
import { RunPoint } from '../failures/failures.ts';
import { branchClasses, longestGroupName } from './metrics.ts';
import { StepTrend } from './steps.ts';

/** What became worse from one period to the next: workflows and jobs, each with the moment at which its level moved. */

/** The longest period. It is compared with the one before, so twice as many days are read. */
export const longestChangeDays = 92;

/** With fewer completed runs or jobs than this in either period, nothing is compared. */
export const minimumRuns = 10;
/** A 95th percentile of fewer durations depends on a single run. */
export const minimumRunsP95 = 20;

/** What counts as a change. Smaller changes are within what a period differs from the next. */
export const changeThresholds = {
  /** A duration rises by this share, and by this many milliseconds. */
  p50: 0.1,
  p95: 0.2,
  durationMs: 5000,
  /** A share of runs rises by this much, with at least this many such runs. */
  failedShare: 0.05,
  recoveredShare: 0.02,
  runs: 3,
  /** Minutes rise by this share, and by this many. */
  minutesShare: 0.2,
  minutes: 10,
} as const;

export const changeKinds = ['slower', 'failing', 'flakier', 'costlier'] as const;
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
});
export type ChangesQuery = Static<typeof ChangesQuery>;

const count = Type.Integer();
const optionalMs = nullable(Type.Integer());
const optionalShare = nullable(Type.Number());

/** Numbers of a workflow or job in one period. Shares are null when no run succeeded or failed. */
export const ChangeNumbers = Type.Object({
  /** Runs of a workflow by the completion of their newest attempt; completed jobs of all attempts. */
  runs: count,
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

/** When the level moved: the point that best divides the runs of both periods into those before and those after. */
const Moment = Type.Object({
  at: Time,
  /** How exactly the moment is known. With `run` it is the creation of `after`. */
  precision: Type.Enum(['run', 'hour', 'day']),
  /** The last run before the moment and the first after it, of the default branch where possible; null when they are deleted. */
  before: nullable(RunPoint),
  after: nullable(RunPoint),
  /** The forge's page with the commits between both runs, which have the same branch. */
  compareUrl: nullable(Type.String()),
});
export type Moment = Static<typeof Moment>;

export const Change = Type.Object({
  repository: Type.String(),
  workflow: Type.String(),
  /** Null for a workflow. */
  job: nullable(Type.String()),
  before: ChangeNumbers,
  after: ChangeNumbers,
  /** The number that changed most. */
  measure: Type.Enum(['durationP50Ms', 'durationP95Ms', 'failedShare', 'recoveredShare', 'billableMinutes']),
  /** Null when too few runs are on both sides of every moment. */
  since: nullable(Moment),
  /** Of a job that became slower or fails more: the steps that changed most, at most 3. */
  steps: Type.Array(StepTrend),
});
export type Change = Static<typeof Change>;

const changes = Type.Object({
  /** All that changed. */
  count,
  /** The largest changes first, at most 10. */
  items: Type.Array(Change),
});

export const Changes = Type.Object({
  from: Time,
  to: Time,
  /** Start of the period before, which ends at `from`. */
  previousFrom: Time,
  /** Workflows and jobs that have enough runs in both periods. */
  compared: count,
  /** A duration (p50 or p95) rose. */
  slower: changes,
  /** A larger share of runs failed. */
  failing: changes,
  /** A larger share of runs succeeded only in a later attempt. */
  flakier: changes,
  /** More billable minutes in total. */
  costlier: changes,
  /** False when a period has so many re-runs that the re-runs of jobs are not compared. */
  comparesFlakyJobs: Type.Boolean(),
});
export type Changes = Static<typeof Changes>;
