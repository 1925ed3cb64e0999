import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { findRunRow, listAttemptRows, listJobRows, listPullRequestsOfRun } from './run-store.ts';
import { jobObject } from './objects/job.ts';
import { attemptObject, runObject } from './objects/run.ts';

/** A run without what came before it. */
export type RunWithJobs = Omit<WorkflowRunDetail, 'previous'>;

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
    attempts: [...attempts, run].map(attemptObject),
    jobs: jobs.map(jobObject),
    pullRequests: pullRequests.map(({ number, title, state, author, url }) => ({
      number,
      title,
      state,
      author,
      url,
    })),
  };
}
