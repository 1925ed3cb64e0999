import type { Tx } from '#platform/database/database.ts';
import {
  addStatement,
  columnList,
  findStatement,
  inPieces,
  keyList,
  once,
  parameters,
  pieces,
  readRow,
  replaceStatement,
  rowOfKey,
  type Table,
} from '#platform/database/multi-row.ts';
import type { MonitoringEvent } from './parse-event.ts';
import type { Rows, StoredRows } from './reduce-events.ts';
import { rollupTable } from '#server/rollups/rollup-table.ts';
import type { RollupCell } from '#server/rollups/rollups.ts';
import { attemptKey, jobKey, pullRequestKey, reviewKey, runKey } from '#server/runs/row-keys.ts';
import type { AttemptRow, JobRow, PullRequestRow, ReviewRow, RunPlace, RunRow } from '#server/runs/rows.ts';
import { noteGaps } from '#server/rollups/buckets/finalize-hours-store.ts';
import { isUnnumbered } from './number-attempts.ts';
import { cellsOf, selectRows } from '#platform/database/select-rows.ts';
import {
  attemptTable,
  jobTable,
  pullRequestTable,
  reviewTable,
  runPlaceTable,
  runTable,
} from '#server/runs/tables.ts';

/** The stored rows of the objects that `events` are about: statements for each table, all in one round trip. */
export async function findRowsOf(tx: Tx, events: readonly MonitoringEvent[]): Promise<StoredRows> {
  const runs = new Map<string, RunRow>();
  const jobs = new Map<string, JobRow>();
  const unnumbered = new Map<string, JobRow>();
  const pullRequests = new Map<string, PullRequestRow>();
  const reviews = new Map<string, ReviewRow>();
  const runsOfJobs = new Map<string, JobRow>();
  const places = new Map<string, RunPlace>();
  for (const event of events) {
    if (event.type === 'workflow_run') {
      runs.set(attemptKey(event.run), event.run);
      places.set(`${runKey(event.run)} ${event.run.onDefaultBranch}`, event.run);
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
    misplacedJobs,
    runPlaces,
    pullRequestRows,
    reviewRows,
    runsOfUnnumbered,
    unnumberedJobs,
  ] = await Promise.all([
    inPieces([...runs.values()], (some) => findRuns(tx, some)),
    inPieces([...jobs.values()], (some) => findSame(tx, jobTable, some)),
    inPieces([...places.values()], (some) => findMisplacedJobs(tx, some)),
    inPieces([...runsOfJobs.values()], (some) => findSame(tx, runPlaceTable, some)),
    inPieces([...pullRequests.values()], (some) => findSame(tx, pullRequestTable, some)),
    inPieces([...reviews.values()], (some) => findSame(tx, reviewTable, some)),
    inPieces([...unnumbered.values()], (some) => findRunsOfJobs(tx, some)),
    inPieces([...unnumbered.values()], (some) => findJobsOfAnyAttempt(tx, some)),
  ]);
  return {
    runs: [...foundRuns.map(({ run }) => run), ...runsOfUnnumbered],
    attempts: foundRuns.flatMap(({ attempt }) => attempt ?? []),
    jobs: [...ownJobs, ...unnumberedJobs, ...misplacedJobs],
    runPlaces: new Map(runPlaces.map((run) => [runKey(run), run.onDefaultBranch])),
    pullRequests: pullRequestRows,
    reviews: reviewRows,
  };
}

/** Writes whole rows and adds to the rollups: statements for each table that changes, all in one round trip. */
export function saveRows(tx: Tx, rows: Rows, deltas: readonly RollupCell[], now: number | undefined): void {
  replace(tx, runTable, rows.runs);
  replace(tx, attemptTable, rows.attempts);
  replace(tx, jobTable, rows.jobs);
  replace(tx, pullRequestTable, rows.pullRequests);
  replace(tx, reviewTable, rows.reviews);
  for (const some of pieces(deltas)) void tx.query(addStatement(rollupTable, some, addQuantity));
  noteGaps(tx, deltas, now);
}

/** Runs, each with that one of its earlier attempts that has the key of one of `rows`. */
async function findRuns(
  tx: Tx,
  rows: readonly RunRow[],
): Promise<{ run: RunRow; attempt: AttemptRow | undefined }[]> {
  const name = `find ${rows.length} runs`;
  const text = once(
    runTable,
    name,
    () => `select ${columnList(runTable, 'r.')}, ${columnList(attemptTable, 'a.')}
           from ${keyList(attemptTable, attemptTable.keyLength, rows.length)}
           join lateral ${rowOfKey(runTable)} r on true
           left join lateral ${rowOfKey(attemptTable)} a on true`,
  );
  const values = parameters(attemptTable, rows, attemptTable.keyLength);
  const found = await cellsOf(tx, { name, text, values });
  const offset = runTable.fields.length;
  return found.map((cells) => ({
    run: readRow(runTable, cells),
    attempt: cells[offset] === null ? undefined : readRow(attemptTable, cells, offset),
  }));
}

/** The runs of jobs that came without an attempt, which they have from them. */
function findRunsOfJobs(tx: Tx, rows: readonly JobRow[]): Promise<RunRow[]> {
  const name = `find runs of ${rows.length} jobs`;
  const text = once(
    runTable,
    name,
    () => `select ${columnList(runTable, 't.')} from ${keyList(jobTable, 2, rows.length)}
           join lateral ${rowOfKey(runTable)} t on true`,
  );
  return selectRows(tx, runTable, { name, text, values: parameters(jobTable, rows, 2) });
}

/** Whatever the attempt in their keys. */
function findJobsOfAnyAttempt(tx: Tx, rows: readonly JobRow[]): Promise<JobRow[]> {
  const name = `find ${rows.length} jobs of any attempt`;
  const text = once(
    jobTable,
    name,
    () => `select ${columnList(jobTable, 'j.')} from ${keyList(jobTable, jobTable.keyLength, rows.length)}
           join lateral (
             select * from workflow_jobs w
             where w.integration_id = k.integration_id and w.run_id = k.run_id and w.job_id = k.job_id
             offset 0) j on true`,
  );
  return selectRows(tx, jobTable, { name, text, values: parameters(jobTable, rows, jobTable.keyLength) });
}

/**
 * Jobs that say otherwise than `places`, the runs of events: they came before their run. Where the stored run says the same
 * as the event, its jobs do so too and are not looked at.
 */
async function findMisplacedJobs(tx: Tx, places: readonly RunPlace[]): Promise<JobRow[]> {
  const name = `find misplaced jobs of ${places.length} runs`;
  const text = once(
    runPlaceTable,
    name,
    () => `select ${columnList(jobTable, 'j.')} from ${keyList(runPlaceTable, 3, places.length)}
           join lateral (
             select * from workflow_jobs w
             where w.integration_id = k.integration_id and w.run_id = k.run_id
               and w.on_default_branch <> k.on_default_branch
               and k.on_default_branch is distinct from (
                 select r.on_default_branch from workflow_runs r
                 where r.integration_id = k.integration_id and r.run_id = k.run_id)
             offset 0) j on true`,
  );
  return selectRows(tx, jobTable, { name, text, values: parameters(runPlaceTable, places, 3) });
}

function findSame<Row>(tx: Tx, table: Table<Row>, rows: readonly Row[]): Promise<Row[]> {
  return selectRows(tx, table, findStatement(table, rows));
}

function replace<Row>(tx: Tx, table: Table<Row>, rows: readonly Row[]): void {
  for (const some of pieces(rows)) void tx.query(replaceStatement(table, some));
}

const quantities = new Set([
  'count',
  'succeeded',
  'failed',
  'cancelled',
  'reruns',
  'billable_minutes',
  'duration_ms',
  'queue_ms',
]);
const histograms = new Set(['durations', 'queue_times']);

function addQuantity(column: string): string | undefined {
  if (quantities.has(column)) return `${column} = t.${column} + excluded.${column}`;
  return histograms.has(column) ? `${column} = add_counts(t.${column}, excluded.${column})` : undefined;
}
