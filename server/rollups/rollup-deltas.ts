import type { AttemptRow } from '#server/runs/objects/run.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import { histogramNames, sumNames } from './quantities.ts';
import { jobRollups, runRollups, type Histogram, type RollupRow } from './rollups.ts';

/** A row before and after a change. `before` is undefined for a new row. */
export interface Change<Row> {
  before: Row | undefined;
  after: Row;
}

/**
 * Returns what to add to the rollups, ordered by key. Numbers may be negative. A row's contribution depends on the row alone,
 * so a change subtracts the old contribution and adds the new one: each completed run and job counts once, in any order
 * of events.
 */
export function rollupDeltas(runs: Change<AttemptRow>[], jobs: Change<JobRow>[]): RollupRow[] {
  const totals = new Map<string, RollupRow>();
  addChanges(totals, runs, runRollups);
  addChanges(totals, jobs, jobRollups);
  return [...totals]
    .filter(([, rollup]) => countsAnything(rollup))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, rollup]) => rollup);
}

function addChanges<Row>(
  totals: Map<string, RollupRow>,
  changes: Change<Row>[],
  rollupsOf: (row: Row) => RollupRow[],
): void {
  for (const { before, after } of changes) {
    if (before !== undefined) for (const rollup of rollupsOf(before)) addRollup(totals, rollup, -1);
    for (const rollup of rollupsOf(after)) addRollup(totals, rollup, 1);
  }
}

/** The primary key as one text. */
export function keyOf({ integrationId, kind, start, series }: RollupRow): string {
  return `${integrationId} ${kind} ${start} ${series.toString('latin1')}`;
}

function addRollup(totals: Map<string, RollupRow>, rollup: RollupRow, sign: 1 | -1): void {
  const key = keyOf(rollup);
  const total = totals.get(key);
  if (total === undefined && sign === 1) {
    totals.set(key, rollup);
    return;
  }
  const sum = { ...rollup };
  for (const name of sumNames) sum[name] = (total?.[name] ?? 0) + sign * rollup[name];
  for (const name of histogramNames) sum[name] = addHistogram(total?.[name], rollup[name], sign);
  totals.set(key, sum);
}

function addHistogram(total: Histogram | undefined, delta: Histogram, sign: 1 | -1): Histogram {
  const sum = new Map(total);
  for (const [bucket, count] of delta) {
    const next = (sum.get(bucket) ?? 0) + sign * count;
    if (next === 0) sum.delete(bucket);
    else sum.set(bucket, next);
  }
  return sum;
}

export function countsAnything(rollup: RollupRow): boolean {
  return sumNames.some((name) => rollup[name] !== 0) || histogramNames.some((name) => rollup[name].size > 0);
}
