import { Type, type Static } from 'typebox';
import { nullable, Time, TimeInput } from './schema.ts';

/** Numbers read from hourly rollups: what completed in a time, by the hour of its completion. All days are UTC days. */

export const granularities = ['hour', 'day'] as const;
export type Granularity = (typeof granularities)[number];

export const metricGroupings = ['repository', 'workflow', 'branch', 'runner'] as const;
export type MetricGrouping = (typeof metricGroupings)[number];

/** Branches are told apart by class, as names would make the numbers grow with history. */
const branchClasses = ['default', 'other'] as const;
export type BranchClass = (typeof branchClasses)[number];

/** The longest time that may be asked for: hours of two weeks, days of two years. */
export const longestMetricsDays = { hour: 14, day: 731 } as const satisfies Record<Granularity, number>;

/** Whatever a group may be called. */
export const longestGroupName = 500;
const filter = Type.Optional(Type.String({ maxLength: longestGroupName }));

export const MetricsQuery = Type.Object(
  {
    /** Whole hours (whole days when `granularity` is day): what is given is rounded down. Default: a week before `to`. */
    from: Type.Optional(TimeInput),
    /** Default: now. The hour or day that holds it is included. */
    to: Type.Optional(TimeInput),
    /** Default: hours up to two days, else days. */
    granularity: Type.Optional(Type.Enum([...granularities])),
    groupBy: Type.Optional(Type.Enum([...metricGroupings])),
    repository: filter,
    /** The workflow's name. */
    workflow: filter,
    branch: Type.Optional(Type.Enum([...branchClasses])),
    /** Labels of the runner, as in a group's `runner`. Runs have none: with it, `runs` and its like count jobs. */
    runner: filter,
  },
  { additionalProperties: false },
);
export type MetricsQuery = Static<typeof MetricsQuery>;

const count = Type.Integer();
const optionalMs = nullable(Type.Integer());

/** What completed in some time. Milliseconds; within 5 % for percentiles; null where nothing was measured. */
const numbers = {
  /** Completed attempts of runs, or completed jobs when runners are asked for. */
  runs: count,
  succeeded: count,
  /** Failure, timeout, startup failure and action required; cancelled, skipped and neutral ones are neither. */
  failed: count,
  /** Succeeded over succeeded and failed; null when nothing was either. */
  successRate: nullable(Type.Number()),
  /** Attempts after the first. */
  reruns: count,
  durationP50Ms: optionalMs,
  durationP95Ms: optionalMs,
  /** Of jobs, from creation to their real start. */
  queueP50Ms: optionalMs,
  queueP95Ms: optionalMs,
  /** Each job by whole minutes, as forges bill. */
  billableMinutes: count,
};

export const MetricNumbers = Type.Object(numbers);
export type MetricNumbers = Static<typeof MetricNumbers>;

export const MetricPoint = Type.Object({ at: Time, ...numbers });
export type MetricPoint = Static<typeof MetricPoint>;

const text = nullable(Type.String());

/** Fields that the grouping does not name are null. */
export const MetricGroup = Type.Object({
  repository: text,
  workflow: text,
  branch: nullable(Type.Enum([...branchClasses])),
  runner: text,
  ...numbers,
});
export type MetricGroup = Static<typeof MetricGroup>;

export const FailureCount = Type.Object({
  repository: Type.String(),
  workflow: Type.String(),
  /** Null for the workflow itself. */
  job: text,
  failed: count,
  runs: count,
});
export type FailureCount = Static<typeof FailureCount>;

export const FlakyJob = Type.Object({
  repository: Type.String(),
  workflow: Type.String(),
  job: Type.String(),
  /** How often a re-run of it on the same commit ended otherwise. */
  flips: count,
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
  total: MetricNumbers,
  /** One for each hour or day from `from` to `to`, empty ones included. */
  series: Type.Array(MetricPoint),
  /** With `groupBy`: the groups with most runs, at most 100. */
  groups: Type.Array(MetricGroup),
  /** Workflows, then jobs, that failed most; at most 20 each. */
  failures: Type.Object({ workflows: Type.Array(FailureCount), jobs: Type.Array(FailureCount) }),
  /** Jobs whose re-run ended otherwise on the same commit, most first, at most 20. */
  flakyJobs: Type.Array(FlakyJob),
  /** By runner labels, most first, at most 20. */
  billable: Type.Array(LabelMinutes),
  /** Busiest first, at most 20. Runners belong to no repository, so filters leave them as they are. */
  runners: Type.Array(RunnerUse),
  /** From opening to merge, of pull requests merged in the time. */
  leadTime: Type.Object({ merged: count, p50Ms: optionalMs, p95Ms: optionalMs }),
});
export type Metrics = Static<typeof Metrics>;
