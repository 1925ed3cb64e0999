import {
  jobCell,
  runCell,
  runnerCell,
  type Histogram,
  type JobCell,
  type RunCell,
  type RunnerCell,
} from './rollups.ts';
import type { AttemptRow, JobRow } from './rows.ts';

/** What to add to the rollups; counts may be negative. */
export interface RollupDeltas {
  runs: RunCell[];
  jobs: JobCell[];
  runners: RunnerCell[];
}

/** A row as it was stored, if it was, and as it will be. */
export interface Change<Row> {
  before: Row | undefined;
  after: Row;
}

/**
 * A row's part in the rollups is a function of the row alone, so a change adds the new part and takes the old one back:
 * each completed attempt and job counts once, whatever came in which order.
 */
export function rollupDeltas(attempts: Change<AttemptRow>[], jobs: Change<JobRow>[]): RollupDeltas {
  return {
    runs: sumCells(attempts, runCell, {
      keyOf: (cell) => cell.series.toString('latin1'),
      sums: ['runs', 'reruns', 'durationMs'],
      histograms: ['durations'],
    }),
    jobs: sumCells(jobs, jobCell, {
      keyOf: (cell) => cell.series.toString('latin1'),
      sums: ['jobs', 'billableMinutes', 'durationMs', 'queueMs'],
      histograms: ['durations', 'queueTimes'],
    }),
    runners: sumCells(jobs, runnerCell, {
      keyOf: (cell) => cell.runner,
      sums: ['jobs', 'busyMs'],
      histograms: [],
    }),
  };
}

interface AnyCell {
  integrationId: string;
  hour: number;
}

interface CellKind<Cell> {
  keyOf(cell: Cell): string;
  sums: KeysOf<Cell, number>[];
  histograms: KeysOf<Cell, Histogram>[];
}

type KeysOf<T, Value> = { [Key in keyof T]: T[Key] extends Value ? Key : never }[keyof T];

function sumCells<Row, Cell extends AnyCell>(
  changes: Change<Row>[],
  cellOf: (row: Row) => Cell | undefined,
  kind: CellKind<Cell>,
): Cell[] {
  const totals = new Map<string, Cell>();
  for (const { before, after } of changes) {
    addCell(totals, before && cellOf(before), -1, kind);
    addCell(totals, cellOf(after), 1, kind);
  }
  return [...totals.values()].filter((cell) => countsAnything(cell, kind));
}

function addCell<Cell extends AnyCell>(
  totals: Map<string, Cell>,
  cell: Cell | undefined,
  sign: 1 | -1,
  kind: CellKind<Cell>,
): void {
  if (cell === undefined) return;
  const key = `${cell.integrationId} ${cell.hour} ${kind.keyOf(cell)}`;
  const total = totals.get(key);
  const sum: Record<keyof Cell, unknown> = { ...cell };
  for (const name of kind.sums) sum[name] = Number(total?.[name] ?? 0) + sign * Number(cell[name]);
  for (const name of kind.histograms)
    sum[name] = addHistogram(total?.[name] as Histogram | undefined, cell[name] as Histogram, sign);
  totals.set(key, sum as Cell);
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

function countsAnything<Cell extends AnyCell>(cell: Cell, kind: CellKind<Cell>): boolean {
  return (
    kind.sums.some((name) => cell[name] !== 0) ||
    kind.histograms.some((name) => (cell[name] as Histogram).size > 0)
  );
}
