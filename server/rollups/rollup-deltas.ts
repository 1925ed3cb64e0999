import { attemptRollups, jobRollups, type Histogram, type RollupRow } from './rollups.ts';
import type { AttemptRow, JobRow } from '#server/runs/rows.ts';

/** A row as it was stored, if it was, and as it will be. */
export interface Change<Row> {
  before: Row | undefined;
  after: Row;
}

/**
 * What to add to the rollups, in the order of their keys; numbers may be negative. A row's part in them is a function of
 * the row alone, so a change adds the new part and takes the old one back: each completed attempt and job counts once,
 * whatever came in which order.
 */
export function rollupDeltas(attempts: Change<AttemptRow>[], jobs: Change<JobRow>[]): RollupRow[] {
  const totals = new Map<string, RollupRow>();
  addChanges(totals, attempts, attemptRollups);
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

const sums = [
  'count',
  'succeeded',
  'failed',
  'cancelled',
  'reruns',
  'billableMinutes',
  'durationMs',
  'queueMs',
] as const;
const histograms = ['durations', 'queueTimes'] as const;

function addRollup(totals: Map<string, RollupRow>, rollup: RollupRow, sign: 1 | -1): void {
  const key = `${rollup.integrationId} ${rollup.kind} ${rollup.hour} ${rollup.series.toString('latin1')}`;
  const total = totals.get(key);
  if (total === undefined && sign === 1) {
    totals.set(key, rollup);
    return;
  }
  const sum = { ...rollup };
  for (const name of sums) sum[name] = (total?.[name] ?? 0) + sign * rollup[name];
  for (const name of histograms) sum[name] = addHistogram(total?.[name], rollup[name], sign);
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

function countsAnything(rollup: RollupRow): boolean {
  return sums.some((name) => rollup[name] !== 0) || histograms.some((name) => rollup[name].size > 0);
}
