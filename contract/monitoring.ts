import { Type, type Static } from 'typebox';
import { nullable, pageQuery, Time, Uuid, TimeInput } from './schema.ts';

/** What REST answers and the socket pushes: one shape for each object, so that a push can replace what is on screen. */

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
  /** The event that triggered the run, such as `push`. */
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
  /** When a runner really began; null while it waits. */
  startedAt: optionalTime,
  completedAt: optionalTime,
  /** From creation to the real start, never negative. */
  queueMs: nullable(Type.Integer()),
  durationMs: nullable(Type.Integer()),
  steps: Type.Array(JobStep),
});
export type WorkflowJob = Static<typeof WorkflowJob>;

export const RunAttempt = Type.Object({
  attempt: Type.Integer(),
  status: text,
  conclusion: optionalText,
  triggeringActor: optionalText,
  startedAt: optionalTime,
  completedAt: optionalTime,
  durationMs: nullable(Type.Integer()),
});
export type RunAttempt = Static<typeof RunAttempt>;

const RunPullRequest = Type.Object({
  number: Type.Integer(),
  title: optionalText,
  state: optionalText,
  author: optionalText,
  url: optionalText,
});

export const WorkflowRunDetail = Type.Object({
  run: WorkflowRun,
  attempts: Type.Array(RunAttempt),
  jobs: Type.Array(WorkflowJob),
  pullRequests: Type.Array(RunPullRequest),
});
export type WorkflowRunDetail = Static<typeof WorkflowRunDetail>;

/** Where in the live stream a list was read: updates with a higher `seq` of the same `epoch` come after it. */
export const StreamPosition = Type.Object({ epoch: Type.String(), seq: Type.Integer() });
export type StreamPosition = Static<typeof StreamPosition>;

export const WorkflowRunPage = Type.Object({
  items: Type.Array(WorkflowRun),
  /**
   * Null at the end. A page looks at a bounded number of runs: with filters that few of them meet it may hold fewer items
   * than asked for, even none, and still have a next page.
   */
  nextCursor: nullable(Type.String()),
  stream: StreamPosition,
});
export type WorkflowRunPage = Static<typeof WorkflowRunPage>;

/** One value or several, see `value-list.ts`. */
const filter = Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }));

/** What a list of runs can be narrowed by. */
export const runFilters = {
  repository: filter,
  workflow: filter,
  branch: filter,
  status: filter,
  conclusion: filter,
  actor: filter,
  event: filter,
  pullRequest: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  from: Type.Optional(TimeInput),
  to: Type.Optional(TimeInput),
  /** Words in the title, or a run number. */
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
};

export const WorkflowRunQuery = Type.Object({ ...pageQuery, ...runFilters }, { additionalProperties: false });
export type WorkflowRunQuery = Static<typeof WorkflowRunQuery>;

export const runFacets = [
  'repository',
  'workflow',
  'branch',
  'status',
  'conclusion',
  'actor',
  'event',
] as const;
export type RunFacet = (typeof runFacets)[number];

export const WorkflowFacetsQuery = Type.Object(runFilters, { additionalProperties: false });
export type WorkflowFacetsQuery = Static<typeof WorkflowFacetsQuery>;

/** Of each facet: an address may name any other value. */
export const maxFacetValues = 50;

const FacetValues = Type.Array(Type.Object({ value: text, count: Type.Integer() }));

export const WorkflowFacets = Type.Object({
  /** How many runs were looked at: the newest of the integration, or of the time asked for, at most 2,000. */
  counted: Type.Integer(),
  /** Whether there are no others. */
  complete: Type.Boolean(),
  /** Most frequent values first, at most `maxFacetValues` each. A facet's own filter is left out while its values are counted. */
  facets: Type.Object({
    repository: FacetValues,
    workflow: FacetValues,
    branch: FacetValues,
    status: FacetValues,
    conclusion: FacetValues,
    actor: FacetValues,
    event: FacetValues,
  }),
});
export type WorkflowFacets = Static<typeof WorkflowFacets>;
