import { RunAttempt, WorkflowRun } from '#contract/runs/runs.ts';
import {
  bigint,
  bigints,
  boolean,
  integer,
  nullable,
  text,
  timestamptz,
  uuid,
} from '#platform/database/rows/column-types.ts';
import { defineTable } from '#platform/database/rows/multi-row.ts';
import { apiObjectOf } from './api-object.ts';
import {
  attemptFact,
  combined,
  fact,
  fieldsWhere,
  hidden,
  key,
  newest,
  olderFacts,
  version,
  type RowOf,
} from './columns.ts';
import { durationMs } from './durations.ts';
import { knownHead } from './head-repository.ts';
import { earliest, mergeNumbers } from './merge-lists.ts';
import { storedObject } from './stored-object.ts';

/** Facts of an attempt do not apply to another attempt. */
const sharedColumns = {
  version,
  repository: newest(text),
  status: newest(text),
  conclusion: newest(nullable(text)),
  completedAt: newest(nullable(timestamptz)),
  onDefaultBranch: hidden(newest(boolean)),
  /** The run that took the place of this cancelled attempt. No event contains it. */
  supersededBy: newest(nullable(bigint)),
  workflowName: attemptFact(text),
  startedAt: attemptFact(timestamptz),
  triggeringActor: attemptFact(text),
  olderFacts,
};

const attemptColumns = {
  integrationId: key(uuid),
  runId: key(bigint),
  attempt: key(integer),
  ...sharedColumns,
};

const runColumns = {
  integrationId: key(uuid),
  runId: key(bigint),
  attempt: newest(integer),
  ...sharedColumns,
  updatedAt: newest(nullable(timestamptz)),
  runNumber: fact(bigint),
  workflowId: fact(bigint),
  workflowPath: fact(text),
  event: fact(text),
  title: fact(text),
  commitMessage: fact(text),
  headBranch: fact(text),
  headSha: fact(text),
  headRepository: hidden(combined(nullable(text), knownHead)),
  /** By the forge's id. Null when the head is in the repository itself, or the ids do not tell. */
  forkId: hidden(fact(bigint)),
  actor: fact(text),
  actorAvatarUrl: fact(text),
  url: fact(text),
  createdAt: combined(timestamptz, earliest),
  pullRequests: combined(bigints, mergeNumbers),
  /** Written when the reason of the failure is known. Events do not contain it. */
  errorLine: combined(nullable(text), (newer, older) => newer ?? older),
};

/** An earlier attempt of a run. The newest attempt is part of the run's row. */
export type AttemptRow = RowOf<typeof attemptColumns>;
/** A run with its newest attempt. */
export type RunRow = RowOf<typeof runColumns>;

export const storedAttempts = storedObject('workflow_run_attempts', attemptColumns);
export const storedRuns = storedObject('workflow_runs', runColumns);
export const { table: attemptTable, keyOf: attemptKey } = storedAttempts;
export const { table: runTable, keyOf: runKey } = storedRuns;

/** A stored run in the shape of lists and updates. */
export const runObject = apiObjectOf(WorkflowRun, runColumns, { durationMs });

const { attempt, status, conclusion, triggeringActor, startedAt, completedAt, supersededBy } = attemptColumns;
export const attemptObject = apiObjectOf(
  RunAttempt,
  { attempt, status, conclusion, triggeringActor, startedAt, completedAt, supersededBy },
  { durationMs },
);

const attemptFacts = new Set(fieldsWhere(attemptColumns, ({ merge }) => merge === 'attempt_fact'));

/** A run's newest attempt as a row of its own, used when a newer attempt replaces it in the run. */
export function latestAttemptOf(run: RunRow): AttemptRow {
  const row = Object.fromEntries(attemptTable.fields.map((field) => [field, run[field]])) as AttemptRow;
  const known = Object.entries(run.olderFacts ?? {}).filter(([name]) => attemptFacts.has(name));
  return { ...row, olderFacts: known.length === 0 ? null : Object.fromEntries(known) };
}

/** What the jobs of a run take over: whether it is on the default branch, its workflow, and what the product asked the forge for. */
export interface RunOfJobs extends Pick<
  RunRow,
  'integrationId' | 'runId' | 'onDefaultBranch' | 'workflowName'
> {
  /** The attempt after which the product asked for another one. */
  rerunAskedAfter: number | null;
}
export const runOfJobsTable = defineTable<RunOfJobs>('workflow_runs', 2, {
  integrationId: uuid,
  runId: bigint,
  onDefaultBranch: boolean,
  workflowName: nullable(text),
  rerunAskedAfter: nullable(integer),
});

/** Names an attempt, and what its event gives to the jobs of the run. */
export const flaggedAttemptTable = defineTable<
  Pick<RunRow, 'integrationId' | 'runId' | 'attempt' | 'onDefaultBranch' | 'workflowName'>
>('workflow_runs', 5, {
  integrationId: uuid,
  runId: bigint,
  attempt: integer,
  onDefaultBranch: boolean,
  workflowName: nullable(text),
});
