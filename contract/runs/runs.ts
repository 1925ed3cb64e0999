import { Type, type Static } from 'typebox';
import { attemptFields, maxFilterLength, maxSearchLength, runFacets, type RunFacet } from './run-facets.ts';
import { nullable, pageQuery, Time, Uuid, TimeInput, strictObject } from '../base/schema.ts';
import { UsualDurations } from './usual.ts';

/** REST and the socket use one shape for each object, so an update can replace the object on screen. */

const text = Type.String();
const optionalText = nullable(text);
const optionalTime = nullable(Time);

export const WorkflowRun = Type.Object({
  integrationId: Uuid,
  /** The forge's ids are numbers above 2^31; they fit a JavaScript number. */
  runId: Type.Integer(),
  attempt: Type.Integer(),
  runNumber: nullable(Type.Integer()),
  repository: text,
  workflowId: nullable(Type.Integer()),
  workflowName: optionalText,
  workflowPath: optionalText,
  /** The event that triggered the run: `push`, for example. */
  event: optionalText,
  status: text,
  conclusion: optionalText,
  title: optionalText,
  commitMessage: optionalText,
  headBranch: optionalText,
  headSha: optionalText,
  actor: optionalText,
  actorAvatarUrl: optionalText,
  triggeringActor: optionalText,
  url: optionalText,
  createdAt: Time,
  startedAt: optionalTime,
  updatedAt: optionalTime,
  completedAt: optionalTime,
  /** From the start of the attempt to its end; null until it is completed. */
  durationMs: nullable(Type.Integer()),
  pullRequests: Type.Array(Type.Integer()),
  /** The newer run of the same workflow and branch because of which this one was cancelled. */
  supersededBy: nullable(Type.Integer()),
  /** The line that represents the failure of a failed run; null until it is known. A later attempt keeps it until it fails. */
  errorLine: optionalText,
});
export type WorkflowRun = Static<typeof WorkflowRun>;

export const JobStep = Type.Object({
  number: Type.Integer(),
  name: text,
  status: text,
  conclusion: optionalText,
  startedAt: optionalTime,
  completedAt: optionalTime,
});
export type JobStep = Static<typeof JobStep>;

export const WorkflowJob = Type.Object({
  integrationId: Uuid,
  runId: Type.Integer(),
  attempt: Type.Integer(),
  jobId: Type.Integer(),
  repository: text,
  workflowName: optionalText,
  name: text,
  status: text,
  conclusion: optionalText,
  headBranch: optionalText,
  headSha: optionalText,
  runnerName: optionalText,
  runnerGroup: optionalText,
  labels: Type.Array(text),
  url: optionalText,
  createdAt: optionalTime,
  /** When a runner started the job; null while it waits. */
  startedAt: optionalTime,
  completedAt: optionalTime,
  /** From creation to the real start, never negative. */
  queueMs: nullable(Type.Integer()),
  durationMs: nullable(Type.Integer()),
  steps: Type.Array(JobStep),
});
export type WorkflowJob = Static<typeof WorkflowJob>;

export const RunAttempt = Type.Pick(WorkflowRun, attemptFields);
export type RunAttempt = Static<typeof RunAttempt>;

/** Forges bill each started minute of a job, including cancelled jobs. */
export function billableMinutes(job: Pick<WorkflowJob, 'conclusion' | 'durationMs'>): number {
  return job.conclusion === 'skipped' ? 0 : Math.ceil((job.durationMs ?? 0) / 60_000);
}

const RunPullRequest = Type.Object({
  number: Type.Integer(),
  title: optionalText,
  state: optionalText,
  author: optionalText,
  url: optionalText,
});

/** A run that is named by another one. */
const EarlierRun = Type.Object({
  runId: Type.Integer(),
  runNumber: nullable(Type.Integer()),
  conclusion: text,
  headSha: optionalText,
  actor: optionalText,
  createdAt: Time,
});
export type EarlierRun = Static<typeof EarlierRun>;

/** How the workflow ended on the branch before a run. Runs that neither passed nor failed, such as cancelled ones, do not count. */
export const PreviousResult = Type.Object({
  newest: EarlierRun,
  /** The first of the runs in a row that ended like the newest. */
  first: EarlierRun,
  /** How many these are, at most 200. */
  runs: Type.Integer(),
  /** The last run before them, which ended otherwise; null when none of the last 200 runs is one. */
  before: nullable(EarlierRun),
});
export type PreviousResult = Static<typeof PreviousResult>;

export const WorkflowRunDetail = Type.Object({
  run: WorkflowRun,
  attempts: Type.Array(RunAttempt),
  jobs: Type.Array(WorkflowJob),
  pullRequests: Type.Array(RunPullRequest),
  /** Null when no earlier run of the workflow on the branch is known. */
  previous: nullable(PreviousResult),
  /** How long it usually takes, as of the run. */
  usual: UsualDurations,
});
export type WorkflowRunDetail = Static<typeof WorkflowRunDetail>;

/** The position in the stream of updates at which a list was read. Later updates have the same `epoch` and a higher `seq`. */
export const StreamPosition = Type.Object({ epoch: Type.String(), seq: Type.Integer() });
export type StreamPosition = Static<typeof StreamPosition>;

export const WorkflowRunPage = Type.Object({
  items: Type.Array(WorkflowRun),
  /**
   * Null at the end. A page scans a bounded number of runs: with filters that match few runs it may have fewer items than
   * requested, or none, and still have a next page.
   */
  nextCursor: nullable(Type.String()),
  stream: StreamPosition,
});
export type WorkflowRunPage = Static<typeof WorkflowRunPage>;

function forEachFacet<Schema>(schema: Schema): Record<RunFacet, Schema> {
  return Object.fromEntries(runFacets.map((facet) => [facet, schema])) as Record<RunFacet, Schema>;
}

/** The filters of the list of runs. A facet has one or more values, see `value-list.ts`. */
export const runFilters = {
  ...forEachFacet(Type.Optional(Type.String({ minLength: 1, maxLength: maxFilterLength }))),
  pullRequest: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  from: Type.Optional(TimeInput),
  to: Type.Optional(TimeInput),
  /** By the completion of the newest attempt, as in metrics. Such a list is in the order of completion. */
  completedFrom: Type.Optional(TimeInput),
  completedTo: Type.Optional(TimeInput),
  /** Whether the run is of the default branch of its repository. */
  branchClass: Type.Optional(Type.Enum(['default', 'other'])),
  /** Whether the newest attempt is the first or a re-run. */
  attempt: Type.Optional(Type.Enum(['first', 'later'])),
  /**
   * A run number, run id or pull request (`412`, `#412`), the first 7 or more characters of a SHA, or an address of one of
   * these. Everything else is words of the title, branch, actor, repository, workflow, or a job of any attempt with its error line; double
   * quotes make a phrase.
   */
  q: Type.Optional(Type.String({ minLength: 1, maxLength: maxSearchLength })),
};

export const WorkflowRunQuery = strictObject({ ...pageQuery, ...runFilters });
export type WorkflowRunQuery = Static<typeof WorkflowRunQuery>;

export const WorkflowFacetsQuery = strictObject(runFilters);
export type WorkflowFacetsQuery = Static<typeof WorkflowFacetsQuery>;

export const WorkflowRunCountQuery = strictObject({ cursor: pageQuery.cursor, ...runFilters });
export type WorkflowRunCountQuery = Static<typeof WorkflowRunCountQuery>;

export const WorkflowRunCount = Type.Object({
  /** Of the runs after the cursor, or of all. */
  count: Type.Integer(),
  /** False when more than 10,000 runs would have to be read: older ones are not counted. */
  isComplete: Type.Boolean(),
});
export type WorkflowRunCount = Static<typeof WorkflowRunCount>;

/** Values listed for each facet. Other values can be filtered by as well. */
export const maxFacetValues = 250;

const FacetValues = Type.Array(Type.Object({ value: text, count: Type.Integer() }));

export const WorkflowFacets = Type.Object({
  /** Number of scanned runs: the newest of the integration or of the requested time, at most 2,000. */
  counted: Type.Integer(),
  /** Whether all runs were scanned. */
  complete: Type.Boolean(),
  /** Most frequent values first, at most `maxFacetValues` each. A facet ignores its own filter. */
  facets: Type.Object(forEachFacet(FacetValues)),
});
export type WorkflowFacets = Static<typeof WorkflowFacets>;
