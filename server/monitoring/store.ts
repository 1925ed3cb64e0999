import type { Tx } from '#platform/database/database.ts';
import {
  columnList,
  parameters,
  readRow,
  rowTypes,
  selectByKeys,
  upsert,
  type TableShape,
} from './multi-row.ts';
import type { MonitoringEvent } from './parse-event.ts';
import type { Rows } from './reduce-events.ts';
import { attemptKey, jobKey, pullRequestKey, reviewKey, runKey } from './row-keys.ts';
import type { RollupDeltas } from './rollup-deltas.ts';
import type { AttemptRow, JobRow, PullRequestRow, RunRow } from './rows.ts';
import type { RunFilter } from './run-filter.ts';
import {
  attemptTable,
  jobRollupTable,
  jobTable,
  pullRequestTable,
  reviewTable,
  runnerRollupTable,
  runRollupTable,
  runTable,
} from './tables.ts';

/** The stored rows of the objects that `events` are about: a statement for each table, all in one round trip. */
export async function findRowsOf(tx: Tx, events: readonly MonitoringEvent[]): Promise<Rows> {
  const runs = events.flatMap((event) => ('run' in event ? [event.run] : []));
  const attempts = events.flatMap((event) => ('attempt' in event ? [event.attempt] : []));
  const jobs = events.flatMap((event) => ('job' in event ? [event.job] : []));
  const pullRequests = events.flatMap((event) => ('pullRequest' in event ? [event.pullRequest] : []));
  const reviews = events.flatMap((event) => ('review' in event ? [event.review] : []));
  const found = await Promise.all([
    findByKeys(tx, runTable, unique(runs, runKey)),
    findByKeys(tx, attemptTable, unique(attempts, attemptKey)),
    findByKeys(tx, jobTable, unique(jobs, jobKey)),
    findByKeys(tx, pullRequestTable, unique(pullRequests, pullRequestKey)),
    findByKeys(tx, reviewTable, unique(reviews, reviewKey)),
  ]);
  return { runs: found[0], attempts: found[1], jobs: found[2], pullRequests: found[3], reviews: found[4] };
}

/** Writes whole rows and adds to the rollups: a statement for each table that changes, all in one round trip. */
export async function saveRows(tx: Tx, rows: Rows, deltas: RollupDeltas): Promise<void> {
  await Promise.all([
    save(tx, runTable, rows.runs),
    save(tx, attemptTable, rows.attempts),
    save(tx, jobTable, rows.jobs),
    save(tx, pullRequestTable, rows.pullRequests),
    save(tx, reviewTable, rows.reviews),
    save(tx, runRollupTable, deltas.runs, sums(['runs', 'reruns', 'duration_ms'], ['durations'])),
    save(
      tx,
      jobRollupTable,
      deltas.jobs,
      sums(['jobs', 'billable_minutes', 'duration_ms', 'queue_ms'], ['durations', 'queue_times']),
    ),
    save(tx, runnerRollupTable, deltas.runners, sums(['jobs', 'busy_ms'], [])),
  ]);
}

/** Newest first, at most `limit`. */
export async function listRunRows(
  tx: Tx,
  { conditions, values }: RunFilter,
  limit: number,
): Promise<RunRow[]> {
  return select(tx, runTable, {
    text: `select ${columnList(runTable, 'r.')} from workflow_runs r where ${conditions.join(' and ')}
           order by r.created_at desc, r.run_id desc limit ${limit}`,
    values,
  });
}

export async function findRunRow(tx: Tx, integrationId: string, runId: number): Promise<RunRow | undefined> {
  const rows = await select(tx, runTable, {
    name: 'find-run',
    text: `select ${columnList(runTable)} from workflow_runs where integration_id = $1 and run_id = $2`,
    values: [integrationId, runId],
  });
  return rows[0];
}

export async function findRunRows(
  tx: Tx,
  keys: readonly Pick<RunRow, 'integrationId' | 'runId'>[],
): Promise<RunRow[]> {
  if (keys.length === 0) return [];
  return select(tx, runTable, {
    name: 'find-runs',
    text: `select ${columnList(runTable, 'r.')} from unnest($1::uuid[], $2::bigint[]) k (integration_id, run_id)
           join workflow_runs r on r.integration_id = k.integration_id and r.run_id = k.run_id`,
    values: [keys.map((key) => key.integrationId), keys.map((key) => key.runId)],
  });
}

export async function findJobRows(
  tx: Tx,
  keys: readonly Pick<JobRow, 'integrationId' | 'runId' | 'attempt' | 'jobId'>[],
): Promise<JobRow[]> {
  if (keys.length === 0) return [];
  return select(tx, jobTable, {
    name: 'find-jobs',
    text: `select ${columnList(jobTable, 'j.')}
           from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[]) k (integration_id, run_id, attempt, job_id)
           join workflow_jobs j on j.integration_id = k.integration_id and j.run_id = k.run_id
             and j.attempt = k.attempt and j.job_id = k.job_id`,
    values: [
      keys.map((key) => key.integrationId),
      keys.map((key) => key.runId),
      keys.map((key) => key.attempt),
      keys.map((key) => key.jobId),
    ],
  });
}

export async function listAttemptRows(tx: Tx, integrationId: string, runId: number): Promise<AttemptRow[]> {
  return select(tx, attemptTable, {
    name: 'list-attempts',
    text: `select ${columnList(attemptTable)} from workflow_run_attempts
           where integration_id = $1 and run_id = $2 order by attempt`,
    values: [integrationId, runId],
  });
}

export async function listJobRows(tx: Tx, integrationId: string, runId: number): Promise<JobRow[]> {
  return select(tx, jobTable, {
    name: 'list-jobs',
    text: `select ${columnList(jobTable)} from workflow_jobs
           where integration_id = $1 and run_id = $2 order by attempt, created_at, job_id`,
    values: [integrationId, runId],
  });
}

/** Those the run names; where it names none, as runs from forks, those whose head it ran on. */
export async function listPullRequestsOfRun(
  tx: Tx,
  integrationId: string,
  runId: number,
): Promise<PullRequestRow[]> {
  return select(tx, pullRequestTable, {
    name: 'list-pull-requests-of-run',
    text: `with run as (select * from workflow_runs where integration_id = $1 and run_id = $2)
           select ${columnList(pullRequestTable, 'p.')} from run r
           join pull_requests p on p.integration_id = r.integration_id and p.repository = r.repository
             and p.number = any (r.pull_requests)
           union all
           select ${columnList(pullRequestTable, 'p.')} from run r
           join pull_requests p on p.integration_id = r.integration_id and p.repository = r.repository
             and p.head_sha = r.head_sha
           where r.pull_requests = '{}'
           order by number`,
    values: [integrationId, runId],
  });
}

async function findByKeys<Row>(tx: Tx, shape: TableShape<Row>, rows: readonly Row[]): Promise<Row[]> {
  if (rows.length === 0) return [];
  return select(tx, shape, {
    name: `find ${rows.length} ${shape.name}`,
    text: selectByKeys(shape, rows.length),
    values: parameters(shape, rows, shape.keyLength),
  });
}

/** The columns of `shape`, in its order, as rows. */
async function select<Row>(
  tx: Tx,
  shape: TableShape<Row>,
  query: { name?: string; text: string; values: unknown[] },
): Promise<Row[]> {
  const result = await tx.query({ ...query, rowMode: 'array', types: rowTypes } as never);
  return result.rows.map((values) => readRow(shape, values as never));
}

async function save<Row>(
  tx: Tx,
  shape: TableShape<Row>,
  rows: readonly Row[],
  sumsOf: Record<string, string> = {},
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: `save ${rows.length} ${shape.name}`,
    text: upsert(shape, rows.length, sumsOf),
    values: parameters(shape, rows),
  });
}

function sums(numbers: string[], histograms: string[]): Record<string, string> {
  return Object.fromEntries([
    ...numbers.map((column) => [column, `t.${column} + excluded.${column}`]),
    ...histograms.map((column) => [column, `add_counts(t.${column}, excluded.${column})`]),
  ]);
}

function unique<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
