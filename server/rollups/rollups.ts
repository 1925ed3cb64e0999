import { storableText } from '#platform/database/storable-text.ts';
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { longestGroupName } from '#contract/metrics.ts';
import { bucketOf } from './histogram-buckets.ts';
import { durationMs, isMeasured, queueMs } from '#server/runs/durations.ts';
import type { AttemptRow, JobRow } from '#server/runs/rows.ts';
import { hourMs, minuteMs } from '#platform/runtime/time-units.ts';

/** `…_any` is one series for the whole integration. */
export type RollupKind = 'run' | 'job' | 'runner' | 'run_any' | 'job_any';

/** An hourly row, or the numbers to add to it. Its names identify its series; a name that its kind does not have is null. */
export interface RollupRow {
  integrationId: string;
  kind: RollupKind;
  /** The hour of completion, in milliseconds since the epoch. */
  hour: number;
  /** Hash of the names, which stands for them in the primary key. */
  series: Buffer;
  repository: string | null;
  workflow: string | null;
  job: string | null;
  /** The runner's labels for a job, its name for a runner. */
  runner: string | null;
  onDefaultBranch: boolean | null;
  count: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  reruns: number;
  billableMinutes: number;
  durationMs: number;
  queueMs: number;
  durations: Histogram;
  queueTimes: Histogram;
}

/** Counts by bucket. */
export type Histogram = ReadonlyMap<number, number>;

const none: Histogram = new Map();
const noNames: Names = { repository: null, workflow: null, job: null, runner: null, onDefaultBranch: null };
/** Conclusions that count as failed. */
export const redConclusions: ReadonlySet<string> = new Set([
  'failure',
  'timed_out',
  'startup_failure',
  'action_required',
]);
/** The contribution of an attempt. */
export function attemptRollups(row: AttemptRow): RollupRow[] {
  if (row.status !== 'completed' || row.completedAt === null) return [];
  const duration = isMeasured(row) ? durationMs(row) : null;
  const names = {
    repository: row.repository,
    workflow: row.workflowName ?? '',
    job: null,
    runner: null,
    onDefaultBranch: row.onDefaultBranch,
  };
  const numbers = {
    ...outcomeOf(row.conclusion),
    reruns: row.attempt > 1 ? 1 : 0,
    billableMinutes: 0,
    ...timesOf(duration, null),
  };
  return [
    makeRollup('run', row.integrationId, row.completedAt, names, numbers),
    makeRollup('run_any', row.integrationId, row.completedAt, noNames, numbers),
  ];
}

/** The contribution of a job, and of the runner that ran it. */
export function jobRollups(row: JobRow): RollupRow[] {
  if (row.status !== 'completed' || row.completedAt === null) return [];
  const duration = durationMs(row);
  const isTimed = isMeasured(row);
  const names = {
    repository: row.repository,
    workflow: row.workflowName ?? '',
    job: row.name,
    runner: storableText(row.labels.join(', '), longestGroupName) ?? '',
    onDefaultBranch: row.onDefaultBranch,
  };
  const numbers = {
    ...outcomeOf(row.conclusion),
    reruns: row.attempt > 1 ? 1 : 0,
    // Forges bill each job by whole minutes, including cancelled jobs.
    billableMinutes: row.conclusion === 'skipped' ? 0 : Math.ceil((duration ?? 0) / minuteMs),
    ...timesOf(isTimed ? duration : null, isTimed ? queueMs(row) : null),
  };
  const rollups = [
    makeRollup('job', row.integrationId, row.completedAt, names, numbers),
    makeRollup('job_any', row.integrationId, row.completedAt, noNames, numbers),
  ];
  if (row.runnerName !== null) rollups.push(runnerRollup(row, row.completedAt, row.runnerName, duration));
  return rollups;
}

function runnerRollup(row: JobRow, completedAt: number, name: string, busyMs: number | null): RollupRow {
  const names = { ...noNames, runner: runnerClass(name) };
  return makeRollup('runner', row.integrationId, completedAt, names, {
    ...outcomeOf(null),
    reruns: 0,
    billableMinutes: 0,
    ...timesOf(null, null),
    durationMs: busyMs ?? 0,
  });
}

/** Ephemeral runners share one name: `GitHub Actions 27` loses its number, and a scale set's runner its random suffix. */
function runnerClass(name: string): string {
  return name.replace(/^(GitHub Actions) \d+$/, '$1').replace(/-[a-z0-9]{5}-runner-[a-z0-9]{5}$/, '');
}

type Names = Pick<RollupRow, 'repository' | 'workflow' | 'job' | 'runner' | 'onDefaultBranch'>;
type Numbers = Omit<RollupRow, keyof Names | 'integrationId' | 'kind' | 'hour' | 'series' | 'count'>;

function makeRollup(
  kind: RollupKind,
  integrationId: string,
  completedAt: number,
  names: Names,
  numbers: Numbers,
): RollupRow {
  const hour = completedAt - (completedAt % hourMs);
  return { integrationId, kind, hour, series: seriesOf(names), ...names, count: 1, ...numbers };
}

const knownSeries = new LRUCache<string, Buffer>({ max: 10_000 });

/** Names contain no NUL, so the separator is unambiguous. Cached, because the same names recur. */
function seriesOf(names: Names): Buffer {
  const text = Object.values(names).join('\0');
  let series = knownSeries.get(text);
  if (series === undefined) {
    knownSeries.set(text, (series = hash('sha256', text, 'buffer').subarray(0, 16)));
  }
  return series;
}

/** Other conclusions, such as skipped and neutral, count only in `count`. */
function outcomeOf(conclusion: string | null) {
  return {
    succeeded: conclusion === 'success' ? 1 : 0,
    failed: redConclusions.has(conclusion ?? '') ? 1 : 0,
    cancelled: conclusion === 'cancelled' ? 1 : 0,
  };
}

function timesOf(duration: number | null, queued: number | null) {
  return {
    durationMs: duration ?? 0,
    queueMs: queued ?? 0,
    durations: histogramOf(duration),
    queueTimes: histogramOf(queued),
  };
}

function histogramOf(ms: number | null): Histogram {
  return ms === null ? none : new Map([[bucketOf(ms), 1]]);
}
