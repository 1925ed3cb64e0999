import type { Tx } from '#platform/database/database.ts';
import { parameters, readRow, rowTypes, selectByKeys, upsert, type TableShape } from './multi-row.ts';
import type { MonitoringEvent } from './parse-event.ts';
import { attemptKey, jobKey, pullRequestKey, reviewKey, runKey, type Rows } from './reduce-events.ts';
import type { RollupDeltas } from './rollup-deltas.ts';
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

async function findByKeys<Row>(tx: Tx, shape: TableShape<Row>, rows: readonly Row[]): Promise<Row[]> {
  if (rows.length === 0) return [];
  const result = await tx.query({
    name: `find ${rows.length} ${shape.name}`,
    text: selectByKeys(shape, rows.length),
    values: parameters(shape, rows, shape.keyLength),
    rowMode: 'array',
    types: rowTypes,
  } as never);
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
