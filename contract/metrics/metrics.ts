import { Type, type Static } from 'typebox';
import { nullable, Time, TimeInput, strictObject } from '../base/schema.ts';

/** Numbers of completed runs and jobs, by the hour of completion. */

export const granularities = ['hour', 'day'] as const;
export type Granularity = (typeof granularities)[number];

export const metricGroupings = ['repository', 'workflow', 'job', 'branch', 'runner'] as const;
export type MetricGrouping = (typeof metricGroupings)[number];

/** Branches are grouped by class, because the number of branch names grows with history. */
export const branchClasses = ['default', 'other'] as const;
export type BranchClass = (typeof branchClasses)[number];

/** The longest span: two weeks by hour, two years by day. */
export const longestMetricsDays = { hour: 14, day: 731 } as const satisfies Record<Granularity, number>;

/**
 * The IANA time zone whose days are counted, for example `Europe/Berlin`. Default: UTC. The numbers are stored by the hour: where
 * midnight is within an hour of UTC, days begin at the nearest one.
 */
export const TimeZone = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' });
export const TimeZoneInput = Type.Optional(TimeZone);

/** The longest name of a group. */
export const longestGroupName = 500;
const filter = Type.Optional(Type.String({ maxLength: longestGroupName }));

export const MetricsQuery = strictObject({
  /** Rounded down to the hour, or to the day when `granularity` is day. Default: a week before `to`. */
  from: Type.Optional(TimeInput),
  /** Default: now. The hour or day that contains it is included. */
  to: Type.Optional(TimeInput),
  /** Default: hour for up to two days, else day. */
  granularity: Type.Optional(Type.Enum([...granularities])),
  groupBy: Type.Optional(Type.Enum([...metricGroupings])),
  repository: filter,
  /** The workflow's name. */
  workflow: filter,
  branch: Type.Optional(Type.Enum([...branchClasses])),
  timeZone: TimeZoneInput,
  /** Runner labels, as in a group's `runner`. Runs have no runner: with this filter the numbers count jobs. */
  runner: filter,
});
export type MetricsQuery = Static<typeof MetricsQuery>;

const count = Type.Integer();
const optionalMs = nullable(Type.Integer());

/** Numbers of a span. Times are in milliseconds; percentiles are exact within 2 %; null when nothing was measured. */
const numbers = {
  /** Runs by the completion of their newest attempt. With a filter by runner or a group by job or runner: completed jobs of all attempts. */
  runs: count,
  succeeded: count,
  /** Failure, timeout, startup failure and action required. Cancelled, skipped and neutral count as neither. */
  failed: count,
  /** succeeded / (succeeded + failed); null when both are 0. */
  successRate: nullable(Type.Number()),
  /** Runs whose newest attempt is not the first. */
  reruns: count,
  /** Runs that succeeded in a later attempt than the first. (succeeded - recovered) / (succeeded + failed) passed at the first try. */
  recovered: count,
  durationP50Ms: optionalMs,
  durationP95Ms: optionalMs,
  /** Of jobs: from creation to the real start. */
  queueP50Ms: optionalMs,
  queueP95Ms: optionalMs,
  /** Each job is rounded up to whole minutes, as forges bill. */
  billableMinutes: count,
};

export const MetricNumbers = Type.Object(numbers);
export type MetricNumbers = Static<typeof MetricNumbers>;

export const MetricPoint = Type.Object({ at: Time, ...numbers });
export type MetricPoint = Static<typeof MetricPoint>;

const text = nullable(Type.String());

/** Fields that are not grouped by are null. */
export const MetricGroup = Type.Object({
  repository: text,
  workflow: text,
  job: text,
  branch: nullable(Type.Enum([...branchClasses])),
  runner: text,
  ...numbers,
  /** As `previousTotal`; rates and times are those of groups by workflow or job. */
  previous: nullable(MetricNumbers),
});
export type MetricGroup = Static<typeof MetricGroup>;

export const FailureCount = Type.Object({
  repository: Type.String(),
  workflow: Type.String(),
  /** Null for a workflow. */
  job: text,
  failed: count,
  runs: count,
});
export type FailureCount = Static<typeof FailureCount>;

export const FlakyJob = Type.Object({
  repository: Type.String(),
  workflow: Type.String(),
  job: Type.String(),
  /** How often a re-run of the same run had another result. */
  flips: count,
  /** Re-runs after a failure that passed or failed, and those that passed. */
  retries: count,
  passedRetries: count,
  /** Time of the failures that passed on the next re-run. */
  lostMs: count,
  lastAt: Time,
  lastRunId: Type.Integer(),
});
export type FlakyJob = Static<typeof FlakyJob>;

export const RunnerUse = Type.Object({ runner: Type.String(), jobs: count, busyMs: Type.Integer() });
export type RunnerUse = Static<typeof RunnerUse>;

export const LabelMinutes = Type.Object({
  runner: Type.String(),
  jobs: count,
  billableMinutes: count,
});
export type LabelMinutes = Static<typeof LabelMinutes>;

export const Metrics = Type.Object({
  from: Time,
  to: Time,
  granularity: Type.Enum([...granularities]),
  /** Whose days are counted. UTC for more than 92 days. */
  timeZone: Type.String(),
  total: MetricNumbers,
  /**
   * The total of as much of the span before as has passed of this one; null when nothing completed in it, or when it is not covered
   * by data. Rates and times are null unless the filter selects one workflow: they depend on which workflows ran how often.
   */
  previousTotal: nullable(MetricNumbers),
  /** One for each hour or day from `from` to `to`, including empty ones. */
  series: Type.Array(MetricPoint),
  /** With `groupBy`: the groups with the most runs, at most 100. */
  groups: Type.Array(MetricGroup),
  /** The workflows and jobs that failed most, at most 100 and 20. */
  failures: Type.Object({ workflows: Type.Array(FailureCount), jobs: Type.Array(FailureCount) }),
  /** Jobs whose re-run had another result on the same commit, most flips first, at most 20. */
  flakyJobs: Type.Array(FlakyJob),
  /** By runner labels, most first, at most 20. */
  billable: Type.Array(LabelMinutes),
  /** Busiest first, at most 20. Filters do not apply, because runners belong to no repository. */
  runners: Type.Array(RunnerUse),
  /** From opening to merge, of pull requests merged in the span. */
  timeToMerge: Type.Object({ merged: count, p50Ms: optionalMs, p95Ms: optionalMs }),
});
export type Metrics = Static<typeof Metrics>;
