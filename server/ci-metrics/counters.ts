import { hash } from 'node:crypto';
import { longestGroupName } from '#contract/metrics/metrics.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import type { Change } from '#server/rollups/rollup-deltas.ts';
import { durationMs, isMeasured, queueMs } from '#server/runs/objects/durations.ts';
import { attemptKey, type AttemptRow } from '#server/runs/objects/run.ts';
import { isSampleRepository } from '#server/sample-data/sample-repositories.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import { bucketAt, bucketCount } from './buckets.ts';
import { resultOf } from './semantic-names.ts';

/** Series of an integration with names. All others are one series. */
export const mostSeries = { run: 500, queue: 100 } as const;

/** A counter, or what to add to it. */
export interface CounterRow {
  integrationId: string;
  kind: 'run' | 'queue';
  /** Hash of the names. */
  series: Buffer;
  result: string;
  repository: string | null;
  workflow: string | null;
  runner: string | null;
  count: number;
  sumMs: number;
  /** Measured times by bucket. */
  buckets: number[];
}

interface Changes {
  runs: readonly Change<AttemptRow>[];
  /** Earlier attempts of runs. */
  attempts: readonly Change<AttemptRow>[];
  jobs: readonly Change<JobRow>[];
}

/**
 * What a batch adds to the counters, ordered by key. An attempt or job counts with the change that completes it. Later changes
 * add nothing, so that counters never decrease. Exception: an attempt whose time limit was found out later counts as timed out as well,
 * because alerts look at this counter. Sample data does not count, because its removal would decrease them.
 */
export function counterDeltas({ runs, attempts, jobs }: Changes): CounterRow[] {
  // An attempt is part of its run's row until a newer attempt replaces it there.
  const ofRuns = [...runs, ...attempts];
  const known = new Set(
    ofRuns.flatMap(({ before, after }) =>
      isCompleted(before) && !isTimeoutFoundOut(before, after) ? attemptKey(before) : [],
    ),
  );
  const completed = new Map(
    ofRuns
      .map(({ after }) => after)
      .filter((row) => isCompleted(row) && !known.has(attemptKey(row)) && !isSampleRepository(row.repository))
      .map((row) => [attemptKey(row), row]),
  );
  const totals = new Map<string, CounterRow>();
  for (const row of completed.values()) add(totals, counterOfRun(row));
  for (const { before, after } of jobs)
    if (isCompleted(after) && !isCompleted(before) && !isSampleRepository(after.repository))
      add(totals, counterOfJob(after));
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function isTimeoutFoundOut(before: AttemptRow, after: AttemptRow): boolean {
  return (
    before.attempt === after.attempt && before.conclusion !== 'timed_out' && after.conclusion === 'timed_out'
  );
}

function isCompleted<Row extends { status: string }>(row: Row | undefined): row is Row {
  return row?.status === 'completed';
}

function counterOfRun(row: AttemptRow): CounterRow {
  const { integrationId, repository } = row;
  const workflow = row.workflowName ?? '';
  const result = resultOf(row.conclusion);
  const names = { repository, workflow, runner: null };
  const ms = isMeasured(row) ? durationMs(row) : null;
  return { integrationId, kind: 'run', series: seriesOf(names), result, ...names, ...numbersOf(ms) };
}

/** Undefined when the time in the queue is not known. */
function counterOfJob(row: JobRow): CounterRow | undefined {
  const ms = isMeasured(row) ? queueMs(row) : null;
  if (ms === null) return undefined;
  const { integrationId, labels } = row;
  const names = { repository: null, workflow: null, runner: runnerOf(labels) };
  return { integrationId, kind: 'queue', series: seriesOf(names), result: '', ...names, ...numbersOf(ms) };
}

/** Labels of a job as one text. */
export function runnerOf(labels: readonly string[]): string {
  return storableText(labels.join(', '), longestGroupName) ?? '';
}

function numbersOf(ms: number | null): Pick<CounterRow, 'count' | 'sumMs' | 'buckets'> {
  const buckets = Array.from({ length: bucketCount }, () => 0);
  if (ms !== null) buckets[bucketAt(ms)] = 1;
  return { count: 1, sumMs: ms ?? 0, buckets };
}

/** Names contain no NUL, so the separator is unambiguous. */
function seriesOf(names: Record<string, string | null>): Buffer {
  return hash('sha256', Object.values(names).join('\0'), 'buffer').subarray(0, 16);
}

function add(totals: Map<string, CounterRow>, row: CounterRow | undefined): void {
  if (row === undefined) return;
  const key = `${row.integrationId} ${row.kind} ${row.series.toString('latin1')} ${row.result}`;
  const known = totals.get(key);
  totals.set(key, known === undefined ? row : addNumbers(known, row));
}

function addNumbers<Row extends Pick<CounterRow, 'count' | 'sumMs' | 'buckets'>>(
  known: Row,
  { count, sumMs, buckets }: Pick<CounterRow, 'count' | 'sumMs' | 'buckets'>,
): Row {
  return {
    ...known,
    count: known.count + count,
    sumMs: known.sumMs + sumMs,
    buckets: known.buckets.map((number, index) => number + (buckets[index] ?? 0)),
  };
}
