import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { longestGroupName } from '#contract/metrics/metrics.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { durationMs, isMeasured, queueMs } from '#server/runs/objects/durations.ts';
import type { AttemptRow } from '#server/runs/objects/run.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import { isSampleRepository } from '#server/sample-data/sample-repositories.ts';
import { bucketOf } from './histogram-buckets.ts';
import {
  eachOf,
  histogramNames,
  histograms,
  sumNames,
  sums,
  type Contribution,
  type HistogramName,
  type SumName,
} from './quantities.ts';

/** `…_any` is one series for the whole integration. */
export const rollupKinds = ['run', 'job', 'runner', 'run_any', 'job_any'] as const;
export type RollupKind = (typeof rollupKinds)[number];

/** The names of a series. A name that its kind does not have is null. */
export interface SeriesNames {
  repository: string | null;
  workflow: string | null;
  job: string | null;
  /** The runner's labels for a job, its name for a runner. */
  runner: string | null;
  onDefaultBranch: boolean | null;
  /** Series of sample data are apart from others with the same names. */
  isSample: boolean;
}

/** Counts by bucket. */
export type Histogram = ReadonlyMap<number, number>;

/** The numbers of one series in one hour or day, or what to add to them. */
export type RollupRow = {
  integrationId: string;
  kind: RollupKind;
  /** Of the hour or day of completion, in milliseconds since the epoch. */
  start: number;
  /** Hash of the names, which stands for them in the primary key. */
  series: Buffer;
} & SeriesNames &
  Record<SumName, number> &
  Record<HistogramName, Histogram>;

const none: Histogram = new Map();
const noNames = {
  repository: null,
  workflow: null,
  job: null,
  runner: null,
  onDefaultBranch: null,
} as const;

/** The contribution of a run. Its newest attempt counts, so that a re-run replaces the earlier result. */
export function runRollups(row: AttemptRow): RollupRow[] {
  if (row.status !== 'completed' || row.completedAt === null) return [];
  const busyMs = durationMs(row);
  const isSample = isSampleRepository(row.repository);
  const names = {
    ...noNames,
    isSample,
    repository: row.repository,
    workflow: row.workflowName ?? '',
    onDefaultBranch: row.onDefaultBranch,
  };
  const numbers = numbersOf({
    kind: 'run',
    conclusion: row.conclusion,
    attempt: row.attempt,
    busyMs,
    durationMs: isMeasured(row) ? busyMs : null,
    queueMs: null,
  });
  return [
    makeRollup('run', row.integrationId, row.completedAt, names, numbers),
    makeRollup('run_any', row.integrationId, row.completedAt, { ...noNames, isSample }, numbers),
  ];
}

/** The contribution of a job, and of the runner that ran it. */
export function jobRollups(row: JobRow): RollupRow[] {
  const { integrationId, completedAt, conclusion, attempt } = row;
  if (row.status !== 'completed' || completedAt === null) return [];
  const busyMs = durationMs(row);
  const isTimed = isMeasured(row);
  const isSample = isSampleRepository(row.repository);
  const names = {
    isSample,
    repository: row.repository,
    workflow: row.workflowName ?? '',
    job: row.name,
    runner: storableText(row.labels.join(', '), longestGroupName) ?? '',
    onDefaultBranch: row.onDefaultBranch,
  };
  const shared = { conclusion, attempt, busyMs };
  const numbers = numbersOf({
    ...shared,
    kind: 'job',
    durationMs: isTimed ? busyMs : null,
    queueMs: isTimed ? queueMs(row) : null,
  });
  const rollups = [
    makeRollup('job', integrationId, completedAt, names, numbers),
    makeRollup('job_any', integrationId, completedAt, { ...noNames, isSample }, numbers),
  ];
  if (row.runnerName !== null) {
    const runner = { ...noNames, isSample, runner: runnerClass(row.runnerName) };
    const numbersOfRunner = numbersOf({ ...shared, kind: 'runner', durationMs: null, queueMs: null });
    rollups.push(makeRollup('runner', integrationId, completedAt, runner, numbersOfRunner));
  }
  return rollups;
}

/** Ephemeral runners share one name: `GitHub Actions 27` loses its number, and a scale set's runner its random suffix. */
function runnerClass(name: string): string {
  return name.replace(/^(GitHub Actions) \d+$/, '$1').replace(/-[a-z0-9]{5}-runner-[a-z0-9]{5}$/, '');
}

type Numbers = Pick<RollupRow, SumName | HistogramName>;

function numbersOf(contribution: Contribution): Numbers {
  return {
    ...eachOf(sumNames, (name) => sums[name](contribution)),
    ...eachOf(histogramNames, (name) => histogramOf(histograms[name](contribution))),
  };
}

function histogramOf(ms: number | null): Histogram {
  return ms === null ? none : new Map([[bucketOf(ms), 1]]);
}

function makeRollup(
  kind: RollupKind,
  integrationId: string,
  completedAt: number,
  names: SeriesNames,
  numbers: Numbers,
): RollupRow {
  const start = completedAt - (completedAt % hourMs);
  return { integrationId, kind, start, series: seriesOf(names), ...names, ...numbers };
}

const knownSeries = new LRUCache<string, Buffer>({ max: 10_000 });

/** Names contain no NUL, so the separator is unambiguous. Cached, because the same names recur. */
function seriesOf(names: SeriesNames): Buffer {
  const { repository, workflow, job, runner, onDefaultBranch, isSample } = names;
  const text = [repository, workflow, job, runner, onDefaultBranch, isSample].join('\0');
  let series = knownSeries.get(text);
  if (series === undefined) {
    knownSeries.set(text, (series = hash('sha256', text, 'buffer').subarray(0, 16)));
  }
  return series;
}
