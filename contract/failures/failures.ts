import { Type, type Static } from 'typebox';
import { nullable, pageOf, pageQuery, Time, TimeInput, Uuid, strictObject } from '../base/schema.ts';
import { Blame } from './blame.ts';
import { FailureReason } from './failure-reason.ts';

const text = Type.String();
const optionalText = nullable(text);
const count = Type.Integer();

const groupStatuses = ['open', 'acknowledged', 'flaky', 'ignored'] as const;
export type GroupStatus = (typeof groupStatuses)[number];

/**
 * - `infrastructure`: the machine failed, not the code.
 * - `flaky`: the job often passes when it is re-run, or a member marked the failure as known flaky.
 * - `default_branch`: the default branch has the same failure since its last success.
 * - `branch`: an earlier run of the branch has the same failure.
 * - `other_branches`: no earlier run of the branch has the same failure, but other branches have.
 * - `new_on_branch`: no earlier run of any branch has the same failure.
 */
const assessmentKinds = [
  'infrastructure',
  'flaky',
  'default_branch',
  'branch',
  'other_branches',
  'new_on_branch',
] as const;

/** One line about a failure, as of its time: nothing that failed or passed later counts. Fields that the kind does not need are null. */
export const Assessment = Type.Object({
  kind: Type.Enum([...assessmentKinds]),
  infrastructure: FailureReason.properties.infrastructure,
  branch: optionalText,
  /** The first failure after the last success. */
  since: nullable(Time),
  /** Failed runs since then, at most `maxCountedRuns`. */
  runs: nullable(count),
  reruns: nullable(count),
  passedReruns: nullable(count),
  /** Other branches, except for the default branch, with the same failure in the `otherBranchDays` before. Null when there is none. */
  otherBranches: nullable(count),
  /** The first of these failures. */
  otherSince: nullable(Time),
});
export type Assessment = Static<typeof Assessment>;

/** How long a failure on another branch says something about a failure. */
export const otherBranchDays = 30;

/** Counting failed runs ends here: show it as "200+". */
export const maxCountedRuns = 200;

/**
 * `reading`: the log is being read. `no_connection`: there is no connection to the forge that sees the repository.
 * `unreadable`: the forge did not return the log.
 */
const logStates = ['read', 'reading', 'no_connection', 'unreadable'] as const;

/** Why a job failed. */
const JobFailure = Type.Object({
  jobId: Type.Integer(),
  attempt: Type.Integer(),
  job: text,
  url: optionalText,
  step: FailureReason.properties.step,
  errorLine: text,
  log: Type.Enum([...logStates]),
  excerpts: FailureReason.properties.excerpts,
  /** The part of the log that was not read. */
  missing: FailureReason.properties.missing,
  /** Null until the failure belongs to a group, and after the group was removed because there are too many. */
  groupId: nullable(Uuid),
  groupStatus: nullable(Type.Enum([...groupStatuses])),
  assessment: nullable(Assessment),
});
export type JobFailure = Static<typeof JobFailure>;

/** Why a job failed, without its log. */
export const CheckFailure = Type.Pick(JobFailure, [
  'step',
  'errorLine',
  'log',
  'groupId',
  'groupStatus',
  'assessment',
]);
export type CheckFailure = Static<typeof CheckFailure>;

export const RunFailures = Type.Object({
  attempt: Type.Integer(),
  items: Type.Array(JobFailure),
  /** Which commit made the workflow red, as of this run. Null when the run is not red. */
  blame: nullable(Blame),
});
export type RunFailures = Static<typeof RunFailures>;

export const RunFailuresQuery = strictObject({
  /** Default: the newest. */
  attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
});

/** Days in the trend of a group, today included. */
export const trendDays = 14;

/** Failures of a repository that have the same cause. */
export const FailureGroup = Type.Object({
  groupId: Uuid,
  repository: text,
  workflow: optionalText,
  job: text,
  step: optionalText,
  errorLine: text,
  /**
   * The error line names a test, file, package, target or annotation. Without one, different failures share the group, so it cannot be
   * known flaky or ignored.
   */
  isSpecific: Type.Boolean(),
  /** The test whose failures form the group: a report named it before its job ended. Null without such a report. */
  test: nullable(Type.Object({ testId: Uuid, className: text, name: text })),
  failures: count,
  firstSeenAt: Time,
  lastSeenAt: Time,
  /** Most recent first, at most five. */
  branches: Type.Array(text),
  /** Failures per day (UTC), oldest first; the last one is today. */
  trend: Type.Array(count),
  status: Type.Enum([...groupStatuses]),
  /** When an ignored group is open again; null for never. */
  ignoredUntil: nullable(Time),
  note: optionalText,
  statusAt: nullable(Time),
  statusBy: nullable(Type.Object({ userId: Uuid, name: optionalText })),
});
export type FailureGroup = Static<typeof FailureGroup>;

export const FailureGroupPage = pageOf(FailureGroup);
export type FailureGroupPage = Static<typeof FailureGroupPage>;

const name = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

const groupFilters = {
  status: Type.Optional(Type.Enum([...groupStatuses])),
  repository: name,
  workflow: name,
  branch: name,
  /** Last seen at or after this time. */
  from: Type.Optional(TimeInput),
  /** Last seen before this time. */
  to: Type.Optional(TimeInput),
  /** Words in the error line or in the name of the job. */
  q: name,
};

export const FailureGroupQuery = strictObject({ ...pageQuery, ...groupFilters });
export type FailureGroupQuery = Static<typeof FailureGroupQuery>;

const Occurrence = Type.Object({
  runId: Type.Integer(),
  attempt: Type.Integer(),
  jobId: Type.Integer(),
  job: text,
  branch: optionalText,
  runNumber: nullable(Type.Integer()),
  title: optionalText,
  actor: optionalText,
  failedAt: Time,
});
export type Occurrence = Static<typeof Occurrence>;

export const RunPoint = Type.Object({
  runId: Type.Integer(),
  runNumber: nullable(Type.Integer()),
  headSha: optionalText,
  title: optionalText,
  actor: optionalText,
  createdAt: Time,
});
export type RunPoint = Static<typeof RunPoint>;

/** Where the failure began on a branch. */
const FailureStart = Type.Object({
  branch: optionalText,
  /** The last run before the failures in which the job succeeded; null when none of the last runs is one. */
  lastGreen: nullable(RunPoint),
  firstRed: RunPoint,
  /** Who may be named for it. */
  blame: Blame,
  /** The forge's page with the commits between both. */
  compareUrl: optionalText,
});
export type FailureStart = Static<typeof FailureStart>;

export const FailureGroupDetail = Type.Object({
  group: FailureGroup,
  /** Of the newest failure. Null until it is known. */
  assessment: nullable(Assessment),
  /** On the default branch if it is affected, else on the branch of the newest failure. Null for a flaky failure, which no commit began. */
  start: nullable(FailureStart),
  /** How often the job was re-run after this failure, and how often it then passed. */
  reruns: count,
  passedReruns: count,
  /** From the newest failure whose log was read. */
  excerpts: FailureReason.properties.excerpts,
  missing: FailureReason.properties.missing,
  /** Tests that failed in the jobs below, as far as reports told, most often first, at most ten. */
  tests: Type.Array(Type.Object({ testId: Uuid, name: text, failures: count })),
  /** Newest first, at most `maxOccurrences`. */
  occurrences: Type.Array(Occurrence),
});
export type FailureGroupDetail = Static<typeof FailureGroupDetail>;
export const maxOccurrences = 50;

export const ChangeGroupBody = strictObject({
  status: Type.Enum([...groupStatuses]),
  /** Only with `ignored`. */
  until: Type.Optional(TimeInput),
  note: Type.Optional(Type.String({ maxLength: 500 })),
});
export type ChangeGroupBody = Static<typeof ChangeGroupBody>;
