import { Type, type Static } from 'typebox';
import { nullable, Time, strictObject } from '../base/schema.ts';
import { longestGroupName } from './metrics.ts';

/** Which jobs wait for a runner, against what is usual, and which runners are busy. docs/guide/queue.md defines each figure. */

/** The usual queue time is that of this many days. */
export const usualQueueDays = 14;

/** Forges end a job that has waited for a day. The last event of one that waits longer was lost. */
export const longestWaitHours = 24;

/** The newest jobs without an end that are counted. */
export const maxOpenJobs = 5000;

export const QueueQuery = strictObject({
  /** Lists only jobs with these runner labels. The figures are of all. */
  runner: Type.Optional(Type.String({ maxLength: longestGroupName })),
  /** The longest list of labels, jobs and runners. */
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 200 })),
});
export type QueueQuery = Static<typeof QueueQuery>;

const count = Type.Integer();
const text = Type.String();

/** Of jobs with these labels that a runner took and that completed in the last 14 days. */
const UsualQueue = Type.Object({
  count,
  /** In milliseconds; null without a job. */
  p50: nullable(count),
  /** Null for fewer than 10 jobs. */
  p90: nullable(count),
});
export type UsualQueue = Static<typeof UsualQueue>;

const LabelQueue = Type.Object({
  /** All labels of a job, sorted, separated by commas. Empty for jobs without labels. */
  runner: text,
  waiting: count,
  running: count,
  /** When the job was created that waits longest. Null when none waits. */
  since: nullable(Time),
  usual: UsualQueue,
});
export type LabelQueue = Static<typeof LabelQueue>;

export const OpenJob = Type.Object({
  repository: text,
  workflow: text,
  runId: count,
  attempt: count,
  jobId: count,
  name: text,
  runner: text,
  /** Null until a runner took it. */
  runnerName: nullable(text),
  /** When it was created, or for a running job started. */
  since: Time,
});
export type OpenJob = Static<typeof OpenJob>;

export const Queue = Type.Object({
  /** The range of the usual queue times. */
  from: Time,
  to: Time,
  /** Jobs that wait for a runner. */
  waiting: count,
  /** Jobs that wait for an approval, another job or their concurrency group, not for a runner. */
  held: count,
  running: count,
  /** Runners that run at least one job. At Gitea and Forgejo one can run several at once. */
  busyRunners: count,
  /** More jobs are open than the newest 5,000, which are counted. */
  isCut: Type.Boolean(),
  /** Label sets with a job that waits or runs. */
  labelSets: count,
  /** Longest wait first, then most running jobs, at most `limit`. */
  labels: Type.Array(LabelQueue),
  /** Longest first, at most `limit`. */
  waitingJobs: Type.Array(OpenJob),
  heldJobs: Type.Array(OpenJob),
  runningJobs: Type.Array(OpenJob),
});
export type Queue = Static<typeof Queue>;

/** The oldest job of these labels has waited longer than nine of ten did. */
export function isLongWait({ since, usual: { p90 } }: LabelQueue, now: number): boolean {
  return since !== null && p90 !== null && now - Date.parse(since) > p90;
}
