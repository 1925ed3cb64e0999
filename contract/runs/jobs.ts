import { Type, type Static } from 'typebox';
import { pageOf, pageQuery, TimeInput, strictObject } from '../base/schema.ts';
import { branchClasses, longestGroupName } from '../metrics/metrics.ts';
import { WorkflowJob } from './runs.ts';

const { steps: _steps, ...withoutSteps } = WorkflowJob.properties;

/** A completed job in the list of jobs, where each attempt counts. */
export const JobListItem = Type.Object(withoutSteps);
export type JobListItem = Static<typeof JobListItem>;

export const JobPage = pageOf(JobListItem);

const name = Type.Optional(Type.String({ maxLength: longestGroupName }));

/** The filters of the list of jobs, as in metrics. */
export const JobQuery = strictObject({
  ...pageQuery,
  repository: name,
  workflow: name,
  /** The job's name. */
  job: name,
  /** The labels of the runner. */
  runner: name,
  /** The name of the runner. Ephemeral runners share one name. */
  runnerName: name,
  branchClass: Type.Optional(Type.Enum([...branchClasses])),
  /** One or more conclusions, separated by commas. */
  conclusion: name,
  /** Whether the attempt is the first or a re-run; `flip` is a re-run with another result than the attempt before. */
  attempt: Type.Optional(Type.Enum(['first', 'later', 'flip'])),
  /** `counted`: the queue time counts, because a runner took the job, and it was neither cancelled nor skipped. */
  queueTime: Type.Optional(Type.Enum(['counted'])),
  completedFrom: Type.Optional(TimeInput),
  completedTo: Type.Optional(TimeInput),
});
export type JobQuery = Static<typeof JobQuery>;
export type JobFilter = Omit<JobQuery, 'limit' | 'cursor'>;
