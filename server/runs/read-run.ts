import type { WorkflowRun, WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import {
  findRunRow,
  hasRun,
  listAttemptRows,
  listJobRows,
  listPullRequestsOfRun,
  updateAskedRerun,
} from './run-store.ts';
import { jobObject, type JobRow } from './objects/job.ts';
import { attemptObject, runObject, type AttemptRow, type RunRow } from './objects/run.ts';

export { hasRun };

/** A run without what came before it. */
export type RunWithJobs = Omit<WorkflowRunDetail, 'previous' | 'usual'>;

/** Reads a run with all its attempts and jobs. Undefined when no `workflow_run` event was stored, even if its jobs were. */
export async function readRun(
  tx: Tx,
  integrationId: string,
  runId: number,
): Promise<RunWithJobs | undefined> {
  const [run, attempts, jobs, pullRequests] = await Promise.all([
    findRunRow(tx, integrationId, runId),
    listAttemptRows(tx, integrationId, runId),
    listJobRows(tx, integrationId, runId),
    listPullRequestsOfRun(tx, integrationId, runId),
  ]);
  if (run === undefined) return undefined;
  return {
    run: runObject(run),
    attempts: [...attempts, run].map((attempt, index, all) =>
      attemptObject(endWithNext(attempt, all[index + 1])),
    ),
    jobs: jobs.map((job) => jobObject(endWithAttempt(job, run, attempts))),
    pullRequests: pullRequests.map(({ number, title, state, author, url }) => ({
      number,
      title,
      state,
      author,
      url,
    })),
  };
}

/**
 * Notes after which attempt the product asks the forge for another one; null for none. Some forges number no attempts; then this tells a
 * re-run from a late event of the attempt before.
 */
export function noteAskedRerun(
  db: Database,
  { integrationId, runId }: WorkflowRun,
  after: number | null,
): Promise<void> {
  return db.withScope({ integrationId }, (tx) => updateAskedRerun(tx, { integrationId, runId, after }));
}

/** An attempt whose completion did not arrive ended before the next one started. How is not known. */
function endWithNext(attempt: AttemptRow, next: AttemptRow | undefined): AttemptRow {
  if (attempt.status === 'completed' || next === undefined) return attempt;
  return { ...attempt, status: 'completed', conclusion: null, completedAt: next.startedAt };
}

/** A job whose completion did not arrive ends with its attempt. An attempt ends at the latest when the next one starts. */
function endWithAttempt(job: JobRow, run: RunRow, earlier: readonly AttemptRow[]): JobRow {
  if (job.status === 'completed' || job.attempt > run.attempt) return job;
  const attempts = [...earlier, run];
  const own = attempts.find(({ attempt }) => attempt === job.attempt);
  const next = attempts.find(({ attempt }) => attempt > job.attempt);
  if (own?.status !== 'completed' && next === undefined) return job;
  const completedAt = own?.completedAt ?? next?.startedAt ?? run.createdAt;
  const conclusion = own?.conclusion === 'cancelled' ? 'cancelled' : null;
  return { ...job, status: 'completed', conclusion, completedAt };
}
