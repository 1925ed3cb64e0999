import { WorkflowJob } from '#contract/runs/runs.ts';
import {
  bigint,
  boolean,
  integer,
  nullable,
  text,
  texts,
  timestamptz,
  uuid,
} from '#platform/database/rows/column-types.ts';
import { apiObjectOf } from './api-object.ts';
import { combined, fact, hidden, key, newest, olderFacts, version, type RowOf } from './columns.ts';
import { jobDurationMs, queueMs } from './durations.ts';
import { earliest, mergeLabels } from './merge-lists.ts';
import { mergeSteps, steps } from './steps.ts';
import { storedObject } from './stored-object.ts';

const jobColumns = {
  integrationId: key(uuid),
  runId: key(bigint),
  attempt: key(integer),
  jobId: key(bigint),
  version,
  repository: newest(text),
  name: newest(text),
  status: newest(text),
  conclusion: newest(nullable(text)),
  completedAt: newest(nullable(timestamptz)),
  /** Taken from the run. Until the run is stored, derived from the branch name alone. */
  onDefaultBranch: hidden(newest(boolean)),
  /** Taken from the run. Until the run is stored, what the job says. */
  workflowName: newest(nullable(text)),
  headBranch: fact(text),
  headSha: fact(text),
  runnerId: hidden(fact(bigint)),
  runnerName: fact(text),
  runnerGroup: fact(text),
  url: fact(text),
  startedAt: fact(timestamptz),
  createdAt: combined(nullable(timestamptz), earliest),
  labels: combined(texts, mergeLabels),
  steps: combined(steps, mergeSteps),
  olderFacts,
};

export type JobRow = RowOf<typeof jobColumns>;
export const storedJobs = storedObject('workflow_jobs', jobColumns);
export const { table: jobTable, keyOf: jobKey } = storedJobs;

/** A stored job in the shape of the run page and of updates. */
export const jobObject = apiObjectOf(WorkflowJob, jobColumns, { durationMs: jobDurationMs, queueMs });
