import { Type, type Static } from 'typebox';
import { nullable, oneLine, pageOf, pageQuery, strictObject, Time, TimeInput, Uuid } from '../base/schema.ts';

/** What reports tell about tests. */

/** Of a report after unpacking. */
export const reportMaxBytes = 30 * 1024 * 1024;

const attempt = { minimum: 1, maximum: 100_000 };

/** The parameters of an upload. The body is the report, gzipped or not. */
export const TestReportQuery = Type.Object({
  /** The run that made the report, by the id of the forge. */
  run: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** The address of the forge, such as `https://github.com`. Needed if the integration receives webhooks from several. */
  forge: Type.Optional(Type.String({ maxLength: 300 })),
  attempt: Type.Optional(Type.Integer({ ...attempt, default: 1 })),
  /** The id of the job at the forge, or a name for it. */
  job: Type.Optional(Type.String({ maxLength: 200 })),
  /** Tells equal names of different suites apart, such as `unit` and `e2e`. Part of the identity of each test. */
  suite: Type.Optional(Type.String({ maxLength: 100 })),
});
export type TestReportQuery = Static<typeof TestReportQuery>;

/** The same with the OpenID token of the job, which names the run and the forge itself. */
export const JobReportQuery = Type.Object({
  ...Type.Omit(TestReportQuery, ['forge']).properties,
  run: Type.Optional(TestReportQuery.properties.run),
  attempt: Type.Optional(Type.Integer(attempt)),
});
export type JobReportQuery = Static<typeof JobReportQuery>;

/**
 * Names of artifacts whose reports are read when an attempt of a run completes. `*` stands for any text and `?` for one
 * character; upper and lower case are equal.
 * Without a pattern no artifact is read.
 */
export const ReportArtifacts = strictObject({
  patterns: Type.Array(oneLine(100), { maxItems: 20 }),
});
export type ReportArtifacts = Static<typeof ReportArtifacts>;

const ReportFormat = Type.Enum(['junit', 'ctrf', 'go-test']);

const counts = {
  tests: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  /** Passed after a retry that the report names, or on the same commit in another attempt. */
  flaky: Type.Integer(),
};

export const TestReportReceipt = Type.Object({
  reportId: Uuid,
  /** `waiting`: the run, its attempt or its job is not known yet. The report waits a day for the attempt, and ten minutes for the job. `known`: the same report, or those in the artifacts of the attempt, were stored before. */
  status: Type.Enum(['stored', 'waiting', 'known']),
  format: ReportFormat,
  ...counts,
  /** What was wrong with the report, in sentences. What could be read is stored. */
  faults: Type.Array(Type.String()),
});
export type TestReportReceipt = Static<typeof TestReportReceipt>;

/** The order of lists. A test that has vanished is nothing else, a broken one is not flaky, and neither of both is slow. */
export const testStates = ['broken', 'flaky', 'slow', 'new', 'vanished', 'healthy'] as const;
export type TestState = (typeof testStates)[number];
const State = Type.Enum([...testStates]);

/** A flaky test heals after this many days without a flake. */
export const flakyDays = 14;

const identity = {
  testId: Uuid,
  repository: Type.String(),
  suite: Type.String(),
  className: Type.String(),
  name: Type.String(),
  file: nullable(Type.String()),
};

export const quarantineDays = { usual: 14, most: 90 } as const;

/** Tests of an integration in quarantine at the same time. */
export const mostQuarantined = 500;

/** Failures of the test count neither for gates nor for rules that leave them out, until a time. */
export const Quarantine = Type.Object({
  reason: Type.String(),
  /** The member who takes care of the test. Null when they left; their name may be null. */
  owner: nullable(Type.Object({ userId: Uuid, name: nullable(Type.String()) })),
  since: Time,
  until: Time,
});
export type Quarantine = Static<typeof Quarantine>;

export const QuarantineBody = strictObject({
  reason: oneLine(500),
  /** Default: in 14 days. At most 90 days from now. */
  until: Type.Optional(TimeInput),
  /** A member. Default: the caller. */
  ownerId: Type.Optional(Uuid),
});
export type QuarantineBody = Static<typeof QuarantineBody>;

export const QuarantineQuery = strictObject({
  repository: Type.Optional(Type.String({ maxLength: 300 })),
  suite: Type.Optional(Type.String({ maxLength: 100 })),
});
export type QuarantineQuery = Static<typeof QuarantineQuery>;

/** All tests in quarantine, in the order of their names. */
export const QuarantineList = Type.Object({
  items: Type.Array(Type.Object({ ...identity, quarantine: Quarantine })),
});
export type QuarantineList = Static<typeof QuarantineList>;

export const TestSummary = Type.Object({
  ...identity,
  state: State,
  /** Null if it is in no quarantine. */
  quarantine: nullable(Quarantine),
  /** Since when it is broken, the first flake after 14 days without one, or when it was found to be slow. Null for other states. */
  since: nullable(Time),
  /** How it became significantly slower on the default branch: medians of days. Null if it did not. */
  slower: nullable(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
  /** The newest flake. */
  lastFlakyAt: nullable(Time),
  /** Of the last 14 days, on all branches. */
  passes: Type.Integer(),
  /** Failed results, and passes that needed a retry. */
  failures: Type.Integer(),
  /** Of the failures, those that passed on the same commit. */
  flakes: Type.Integer(),
  skips: Type.Integer(),
  /** Of its newest 200 failures of these days: those that were tried again on the same commit, and those that passed then. */
  retried: Type.Integer(),
  passedRetries: Type.Integer(),
  /** Branches other than the default one on which these failures happened and did not pass on the same commit. */
  otherBranches: Type.Integer(),
  /** Time of tries that failed before a pass. When a re-run passed, the tests that failed share the time of the failed job. */
  lostMs: Type.Integer(),
  /** Of passes. */
  durationMs: Type.Integer(),
  /** Failures by day of the last 14 days (UTC), oldest first. */
  trend: Type.Array(Type.Integer()),
  firstSeenAt: Time,
  /** Exact to the day (UTC) for a test that passes. */
  lastSeenAt: Time,
  lastFailedAt: nullable(Time),
});
export type TestSummary = Static<typeof TestSummary>;

export const testSorts = ['failed', 'failures', 'lost', 'duration'] as const;
export type TestSort = (typeof testSorts)[number];

const filters = {
  state: Type.Optional(State),
  /** Words that the class, name, file or suite contains. */
  q: Type.Optional(Type.String({ maxLength: 200 })),
  repository: Type.Optional(Type.String({ maxLength: 300 })),
  suite: Type.Optional(Type.String({ maxLength: 100 })),
  /** Only tests in quarantine, or only others. */
  quarantined: Type.Optional(Type.Boolean()),
};

export const TestListQuery = Type.Object({
  ...pageQuery,
  /** Without a state, words and `quarantined`: the tests that have failed. */
  ...filters,
  /** `failed`: last failure first. The others: the sums of the last 14 days, largest first, without the tests that have none. */
  sort: Type.Optional(Type.Enum([...testSorts], { default: 'failed' })),
});
export type TestListQuery = Static<typeof TestListQuery>;

export const TestPage = pageOf(TestSummary);
export type TestPage = Static<typeof TestPage>;

export const TestFacetsQuery = Type.Object(filters);
export type TestFacetsQuery = Static<typeof TestFacetsQuery>;

const Facet = Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }));

/** Tests by value, most first. Each property is counted with the other filters. */
export const TestFacets = Type.Object({ state: Facet, repository: Facet, suite: Facet });
export type TestFacets = Static<typeof TestFacets>;

/** The attempt of a run in which a test failed. */
const ofRun = {
  runId: Type.Integer(),
  runNumber: nullable(Type.Integer()),
  attempt: Type.Integer(),
  title: nullable(Type.String()),
  headSha: nullable(Type.String()),
  branch: nullable(Type.String()),
  /** Of its repository at the forge. Null when the run is deleted. */
  repositoryUrl: nullable(Type.String()),
};

export const TestFailure = Type.Object({
  ...ofRun,
  jobId: nullable(Type.Integer()),
  onDefaultBranch: Type.Boolean(),
  /** The test passed on the same commit. */
  isFlaky: Type.Boolean(),
  message: nullable(Type.String()),
  at: Time,
});
export type TestFailure = Static<typeof TestFailure>;

/** Failures whose messages differ in numbers only. */
export const TestMessage = Type.Object({
  failures: Type.Integer(),
  /** Of the failures, those that passed on the same commit. */
  flakes: Type.Integer(),
  firstAt: Time,
  lastAt: Time,
  /** Most recent first, at most five. */
  branches: Type.Array(Type.String()),
  /** Of the newest failure. */
  message: nullable(Type.String()),
  trace: nullable(Type.String()),
  newest: Type.Object(ofRun),
});
export type TestMessage = Static<typeof TestMessage>;

export const TestDay = Type.Object({
  day: Type.String({ format: 'date' }),
  onDefaultBranch: Type.Boolean(),
  passes: Type.Integer(),
  failures: Type.Integer(),
  flakes: Type.Integer(),
  skips: Type.Integer(),
  /** Of passes. */
  durationMs: Type.Integer(),
});

export type TestDay = Static<typeof TestDay>;

export const TestDetail = Type.Object({
  ...TestSummary.properties,
  /** Of the last 90 days (UTC), oldest first. */
  days: Type.Array(TestDay),
  /** The first failure since it is broken. */
  firstFailure: nullable(Type.Object(ofRun)),
  /** Of the newest 1,000 failures, the most recent first, at most 20. */
  messages: Type.Array(TestMessage),
  /** Newest first, at most 50. */
  recentFailures: Type.Array(TestFailure),
  /** The groups of its failures first, then other groups of the jobs in which it failed, at most 5. */
  failureGroups: Type.Array(
    Type.Object({
      groupId: Uuid,
      job: Type.String(),
      errorLine: Type.String(),
      /** The failures of this test form the group. */
      isOfTest: Type.Boolean(),
      /** Failures in the group. */
      failures: Type.Integer(),
    }),
  ),
});
export type TestDetail = Static<typeof TestDetail>;

/** A test that failed in an attempt of a run, or passed there only after a retry. */
export const FailedTest = Type.Object({
  ...identity,
  state: State,
  isQuarantined: Type.Boolean(),
  /** It passed on the same commit. */
  isFlaky: Type.Boolean(),
  /** On the default branch: it broke in this run. Else: it failed on no other branch in the 30 days before, and is not flaky. */
  isNew: Type.Boolean(),
  message: nullable(Type.String()),
});
export type FailedTest = Static<typeof FailedTest>;

/** What the reports of an attempt of a run told, added up. */
export const TestTotals = Type.Object({
  ...counts,
  /** Failed and flaky tests: failed ones first, new ones first among them, at most 10. */
  items: Type.Array(FailedTest),
});
export type TestTotals = Static<typeof TestTotals>;

/** What the reports of an attempt of a run told. */
export const RunTests = Type.Object({
  reports: Type.Array(
    Type.Object({
      reportId: Uuid,
      job: Type.String(),
      jobId: nullable(Type.Integer()),
      suite: Type.String(),
      format: ReportFormat,
      ...counts,
      durationMs: Type.Integer(),
      /** More than half of at least 20 tests of the attempt failed, so its reports say nothing about single tests. */
      isMassFailure: Type.Boolean(),
      faults: Type.Array(Type.String()),
      receivedAt: Time,
    }),
  ),
  /** Failed and flaky tests: failed ones first, new ones first among them, at most 200. */
  tests: Type.Array(Type.Object({ ...FailedTest.properties, trace: nullable(Type.String()) })),
});
export type RunTests = Static<typeof RunTests>;
