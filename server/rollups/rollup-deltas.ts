import { attemptCells, jobCells, type Histogram, type RollupCell } from './rollups.ts';
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
export function rollupDeltas(attempts: Change<AttemptRow>[], jobs: Change<JobRow>[]): RollupCell[] {
  const totals = new Map<string, RollupCell>();
  addChanges(totals, attempts, attemptCells);
  addChanges(totals, jobs, jobCells);
  return [...totals]
    .filter(([, cell]) => countsAnything(cell))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, cell]) => cell);
}

function addChanges<Row>(
  totals: Map<string, RollupCell>,
  changes: Change<Row>[],
  cellsOf: (row: Row) => RollupCell[],
): void {
  for (const { before, after } of changes) {
    if (before !== undefined) for (const cell of cellsOf(before)) addCell(totals, cell, -1);
    for (const cell of cellsOf(after)) addCell(totals, cell, 1);
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

function addCell(totals: Map<string, RollupCell>, cell: RollupCell, sign: 1 | -1): void {
  const key = `${cell.integrationId} ${cell.kind} ${cell.hour} ${cell.series.toString('latin1')}`;
  const total = totals.get(key);
  if (total === undefined && sign === 1) {
    totals.set(key, cell);
    return;
  }
  const sum = { ...cell };
  for (const name of sums) sum[name] = (total?.[name] ?? 0) + sign * cell[name];
  for (const name of histograms) sum[name] = addHistogram(total?.[name], cell[name], sign);
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

function countsAnything(cell: RollupCell): boolean {
  return sums.some((name) => cell[name] !== 0) || histograms.some((name) => cell[name].size > 0);
}
