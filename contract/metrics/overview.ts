import { Type, type Static } from 'typebox';
import { Blame } from '../failures/blame.ts';
import { FailingJob } from '../failures/red-workflow.ts';
import { granularities, TimeZoneInput } from './metrics.ts';
import { nullable, Time, strictObject } from '../base/schema.ts';

export const overviewRanges = ['24h', '7d', '30d', '90d'] as const;
export type OverviewRange = (typeof overviewRanges)[number];

export const OverviewQuery = strictObject({
  range: Type.Optional(Type.Enum([...overviewRanges], { default: '24h' })),
  timeZone: TimeZoneInput,
});
export type OverviewQuery = Static<typeof OverviewQuery>;

/**
 * A number of the requested range; null when nothing was measured. Its change is that from `previous` to `comparable`, both null when the
 * range before is not covered by data. Counts compare as much of the range before as has passed of this one. Rates and durations
 * compare the workflows of both ranges, weighted by how often each ran in this one.
 */
export const Figure = Type.Object({
  value: nullable(Type.Number()),
  comparable: nullable(Type.Number()),
  previous: nullable(Type.Number()),
});
export type Figure = Static<typeof Figure>;

const count = Type.Integer();

export const OverviewPoint = Type.Object({
  at: Time,
  succeeded: count,
  failed: count,
  cancelled: count,
  /** Skipped, neutral and other conclusions. */
  other: count,
  durationP50Ms: nullable(Type.Integer()),
  durationP95Ms: nullable(Type.Integer()),
});
export type OverviewPoint = Static<typeof OverviewPoint>;

const text = Type.String();

/** A run in a strip of recent runs. A short form, because an answer has up to 1,500 of them. */
/** No forge lets a run wait or run longer. The completion of an older open run was lost, and it is not counted as running. */
export const longestRunDays = 35;

export const RunMark = Type.Object({
  runId: Type.Integer(),
  runNumber: nullable(Type.Integer()),
  status: text,
  conclusion: nullable(text),
});
export type RunMark = Static<typeof RunMark>;

export const OverviewWorkflow = Type.Object({
  repository: text,
  workflow: text,
  /** In the requested range. */
  runs: count,
  failed: count,
  durationP50Ms: nullable(Type.Integer()),
  /** On any branch, newest first, at most 30. */
  lastRuns: Type.Array(RunMark),
});
export type OverviewWorkflow = Static<typeof OverviewWorkflow>;

/** A workflow whose newest completed run on the default branch is red. */
export const Attention = Type.Object({
  repository: text,
  workflow: text,
  branch: nullable(text),
  /** When the run, or the re-run, began that was the first red one after the last green one. `sinceIsKnown` is false when it is older than the scanned runs. */
  since: Time,
  sinceIsKnown: Type.Boolean(),
  /** Red runs since then. */
  failures: count,
  lastRunId: Type.Integer(),
  conclusion: nullable(text),
  /** The first failed job of the last run. Null when no job failed, for example because the workflow file is invalid. */
  failing: nullable(FailingJob),
  ...Blame.properties,
});
export type Attention = Static<typeof Attention>;

export const Overview = Type.Object({
  range: Type.Enum([...overviewRanges]),
  from: Time,
  to: Time,
  granularity: Type.Enum([...granularities]),
  /** Whose days are counted. */
  timeZone: Type.String(),
  /** Runs by the completion of their newest attempt. */
  runs: Figure,
  /** 0 to 1. */
  successRate: Figure,
  /** The share of runs whose first attempt succeeded, of those that succeeded or failed. */
  firstTryRate: Figure,
  /** Runs whose first attempt succeeded. */
  firstTries: count,
  durationP95Ms: Figure,
  queueP95Ms: Figure,
  /** Workflows that failed at least once. */
  failingWorkflows: Figure,
  /** At this moment, independent of the range. */
  runningNow: Type.Object({ running: count, waiting: count }),
  series: Type.Array(OverviewPoint),
  /** Longest red first, at most 50, without those whose incident a person closed. */
  needsAttention: Type.Array(Attention),
  /** The workflows with the most runs in the range, at most 50. */
  workflows: Type.Array(OverviewWorkflow),
});
export type Overview = Static<typeof Overview>;
