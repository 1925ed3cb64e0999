import type { Tx } from '#platform/database/database.ts';
import {
  columnList,
  findStatement,
  keyList,
  cachedText,
  parameters,
  readRow,
  replaceStatement,
  rowOfKey,
  type Table,
} from '#platform/database/multi-row.ts';
import type { MonitoringEvent } from './parse-event.ts';
import type { Rows, StoredRows } from './reduce-events.ts';
import { addToRollups } from '#server/rollups/add-to-rollups.ts';
import type { RollupRow } from '#server/rollups/rollups.ts';
import { isUnnumbered } from './number-attempts.ts';
import { selectTexts, selectRows } from '#platform/database/select-rows.ts';
import {
  attemptKey,
  runKey,
  type AttemptRow,
  type RunBranchFlag,
  type RunRow,
  attemptTable,
  branchFlagTable,
  runTable,
} from '#server/runs/objects/run.ts';
import { jobKey, type JobRow, jobTable } from '#server/runs/objects/job.ts';
import { pullRequestKey, type PullRequestRow, pullRequestTable } from '#server/runs/objects/pull-request.ts';
import { reviewKey, type ReviewRow, reviewTable } from '#server/runs/objects/review.ts';

/** Reads the stored rows of the events' objects: a few statements for each table, all in one round trip. */
export async function findRowsOf(tx: Tx, events: readonly MonitoringEvent[]): Promise<StoredRows> {
  const runs = new Map<string, RunRow>();
  const jobs = new Map<string, JobRow>();
  const unnumbered = new Map<string, JobRow>();
  const pullRequests = new Map<string, PullRequestRow>();
  const reviews = new Map<string, ReviewRow>();
  const runsOfJobs = new Map<string, JobRow>();
  const flags = new Map<string, RunBranchFlag>();
  for (const event of events) {
    if (event.type === 'workflow_run') {
      runs.set(attemptKey(event.run), event.run);
      flags.set(`${runKey(event.run)} ${event.run.onDefaultBranch}`, event.run);
    } else if (event.type === 'workflow_job') {
      (isUnnumbered(event) ? unnumbered : jobs).set(jobKey(event.job), event.job);
      runsOfJobs.set(runKey(event.job), event.job);
    } else if (event.type === 'pull_request')
      pullRequests.set(pullRequestKey(event.pullRequest), event.pullRequest);
    else reviews.set(reviewKey(event.review), event.review);
  }
  const [
    foundRuns,
    ownJobs,
    jobsToReflag,
    branchFlags,
    pullRequestRows,
    reviewRows,
    runsOfUnnumbered,
    unnumberedJobs,
  ] = await Promise.all([
    ofAll(runs, (rows) => findRuns(tx, rows)),
    ofAll(jobs, (rows) => findSame(tx, jobTable, rows)),
    ofAll(flags, (rows) => findJobsToReflag(tx, rows)),
    ofAll(runsOfJobs, (rows) => findSame(tx, branchFlagTable, rows)),
    ofAll(pullRequests, (rows) => findSame(tx, pullRequestTable, rows)),
    ofAll(reviews, (rows) => findSame(tx, reviewTable, rows)),
    ofAll(unnumbered, (rows) => findRunsOfJobs(tx, rows)),
    ofAll(unnumbered, (rows) => findJobsOfAnyAttempt(tx, rows)),
  ]);
  return {
    runs: [...foundRuns.map(({ run }) => run), ...runsOfUnnumbered],
    attempts: foundRuns.flatMap(({ attempt }) => attempt ?? []),
    jobs: [...ownJobs, ...unnumberedJobs, ...jobsToReflag],
    branchFlags: new Map(branchFlags.map((run) => [runKey(run), run.onDefaultBranch])),
    pullRequests: pullRequestRows,
    reviews: reviewRows,
  };
}

/** Without rows there is no query. */
async function ofAll<Row, Found>(
  rows: ReadonlyMap<string, Row>,
  find: (rows: readonly Row[]) => Promise<Found[]>,
): Promise<Found[]> {
  return rows.size === 0 ? [] : find([...rows.values()]);
}

/** Writes whole rows and adds to the rollups: a few statements for each table, all in one round trip. */
export function saveRows(tx: Tx, rows: Rows, deltas: readonly RollupRow[], now: number | undefined): void {
  replace(tx, runTable, rows.runs);
  replace(tx, attemptTable, rows.attempts);
  replace(tx, jobTable, rows.jobs);
  replace(tx, pullRequestTable, rows.pullRequests);
  replace(tx, reviewTable, rows.reviews);
  addToRollups(tx, deltas, now);
}

/** Reads runs, each with the stored earlier attempt that has the key of one of `rows`. */
async function findRuns(
  tx: Tx,
  rows: readonly RunRow[],
): Promise<{ run: RunRow; attempt: AttemptRow | undefined }[]> {
  const name = 'find runs and attempts';
  const text = cachedText(
    runTable,
    name,
    () => `select ${columnList(runTable, 'r.')}, ${columnList(attemptTable, 'a.')}
           from ${keyList(attemptTable, attemptTable.keyLength)}
           join lateral ${rowOfKey(runTable)} r on true
           left join lateral ${rowOfKey(attemptTable)} a on true`,
  );
  const values = parameters(attemptTable, rows, attemptTable.keyLength);
  const found = await selectTexts(tx, { name, text, values });
  const offset = runTable.fields.length;
  return found.map((texts) => ({
    run: readRow(runTable, texts),
    attempt: texts[offset] === null ? undefined : readRow(attemptTable, texts, offset),
  }));
}

/** Reads the runs of jobs that have no attempt, because the run gives the attempt. */
function findRunsOfJobs(tx: Tx, rows: readonly JobRow[]): Promise<RunRow[]> {
  const name = 'find runs of jobs';
  const text = cachedText(
    runTable,
    name,
    () => `select ${columnList(runTable, 't.')} from ${keyList(jobTable, 2)}
           join lateral ${rowOfKey(runTable)} t on true`,
  );
  return selectRows(tx, runTable, { name, text, values: parameters(jobTable, rows, 2) });
}

/** Ignores the attempt in the keys. */
function findJobsOfAnyAttempt(tx: Tx, rows: readonly JobRow[]): Promise<JobRow[]> {
  const name = 'find jobs of any attempt';
  const text = cachedText(
    jobTable,
    name,
    () => `select ${columnList(jobTable, 'j.')} from ${keyList(jobTable, jobTable.keyLength)}
           join lateral (
             select * from workflow_jobs w
             where w.integration_id = k.integration_id and w.run_id = k.run_id and w.job_id = k.job_id
             offset 0) j on true`,
  );
  return selectRows(tx, jobTable, { name, text, values: parameters(jobTable, rows, jobTable.keyLength) });
}

/**
 * Reads jobs that were stored before their run and whose branch flag differs from the run's. When the stored run already has
 * the flag of the event, its jobs have it too and are not read.
 */
async function findJobsToReflag(tx: Tx, flags: readonly RunBranchFlag[]): Promise<JobRow[]> {
  const name = 'find jobs to reflag';
  const text = cachedText(
    branchFlagTable,
    name,
    () => `select ${columnList(jobTable, 'j.')} from ${keyList(branchFlagTable, 3)}
           join lateral (
             select * from workflow_jobs w
             where w.integration_id = k.integration_id and w.run_id = k.run_id
               and w.on_default_branch <> k.on_default_branch
               and k.on_default_branch is distinct from (
                 select r.on_default_branch from workflow_runs r
                 where r.integration_id = k.integration_id and r.run_id = k.run_id)
             offset 0) j on true`,
  );
  return selectRows(tx, jobTable, { name, text, values: parameters(branchFlagTable, flags, 3) });
}

function findSame<Row>(tx: Tx, table: Table<Row>, rows: readonly Row[]): Promise<Row[]> {
  return selectRows(tx, table, findStatement(table, rows));
}

function replace<Row>(tx: Tx, table: Table<Row>, rows: readonly Row[]): void {
  if (rows.length > 0) void tx.query(replaceStatement(table, rows));
}
