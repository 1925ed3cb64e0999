import { hash } from 'node:crypto';
import { bucketOf } from './buckets.ts';
import { durationMs, isMeasured, queueMs } from './durations.ts';
import type { AttemptRow, JobRow } from './rows.ts';

/** What one completed attempt or job counts for: a cell named by its texts, and numbers to add to it. */
export interface RunCell {
  integrationId: string;
  hour: number;
  series: Buffer;
  repository: string;
  workflow: string;
  onDefaultBranch: boolean;
  conclusion: string;
  runs: number;
  reruns: number;
  durationMs: number;
  durations: Histogram;
}

export interface JobCell {
  integrationId: string;
  hour: number;
  series: Buffer;
  repository: string;
  workflow: string;
  job: string;
  runnerLabels: string;
  onDefaultBranch: boolean;
  conclusion: string;
  jobs: number;
  billableMinutes: number;
  durationMs: number;
  queueMs: number;
  durations: Histogram;
  queueTimes: Histogram;
}

export interface RunnerCell {
  integrationId: string;
  hour: number;
  runner: string;
  jobs: number;
  busyMs: number;
}

/** Counts by bucket. */
export type Histogram = ReadonlyMap<number, number>;

const none: Histogram = new Map();
const hourMs = 3_600_000;
const minuteMs = 60_000;

/** What an attempt counts for; undefined until it is completed. */
export function runCell(row: AttemptRow): RunCell | undefined {
  if (row.status !== 'completed' || row.completedAt === null) return undefined;
  const { integrationId, repository, onDefaultBranch } = row;
  const workflow = row.workflowName ?? '';
  const conclusion = row.conclusion ?? '';
  const duration = isMeasured(row) ? durationMs(row) : null;
  return {
    integrationId,
    hour: hourOf(row.completedAt),
    series: seriesOf(repository, workflow, String(onDefaultBranch), conclusion),
    repository,
    workflow,
    onDefaultBranch,
    conclusion,
    runs: 1,
    reruns: row.attempt > 1 ? 1 : 0,
    durationMs: duration ?? 0,
    durations: one(duration),
  };
}

/** What a job counts for; undefined until it is completed. */
export function jobCell(row: JobRow): JobCell | undefined {
  if (row.status !== 'completed' || row.completedAt === null) return undefined;
  const { integrationId, repository, onDefaultBranch } = row;
  const workflow = row.workflowName ?? '';
  const conclusion = row.conclusion ?? '';
  const runnerLabels = row.labels.join(', ');
  const duration = isMeasured(row) ? durationMs(row) : null;
  const queued = isMeasured(row) ? queueMs(row) : null;
  return {
    integrationId,
    hour: hourOf(row.completedAt),
    series: seriesOf(repository, workflow, row.name, runnerLabels, String(onDefaultBranch), conclusion),
    repository,
    workflow,
    job: row.name,
    runnerLabels,
    onDefaultBranch,
    conclusion,
    jobs: 1,
    // Forges bill each job by whole minutes, cancelled ones too.
    billableMinutes: conclusion === 'skipped' ? 0 : Math.ceil((durationMs(row) ?? 0) / minuteMs),
    durationMs: duration ?? 0,
    queueMs: queued ?? 0,
    durations: one(duration),
    queueTimes: one(queued),
  };
}

/** What a job means for the runner that ran it. */
export function runnerCell(row: JobRow): RunnerCell | undefined {
  if (row.status !== 'completed' || row.completedAt === null || row.runnerName === null) return undefined;
  return {
    integrationId: row.integrationId,
    hour: hourOf(row.completedAt),
    runner: runnerClass(row.runnerName),
    jobs: 1,
    busyMs: durationMs(row) ?? 0,
  };
}

/** Runners made for a single job count by what they share: `GitHub Actions 27`, and the random end of a scale set's. */
function runnerClass(name: string): string {
  return name.replace(/^(GitHub Actions) \d+$/, '$1').replace(/-[a-z0-9]{5}-runner-[a-z0-9]{5}$/, '');
}

function hourOf(ms: number): number {
  return ms - (ms % hourMs);
}

/** The names hold no NUL, so that joining by it is unambiguous. */
function seriesOf(...names: string[]): Buffer {
  return hash('sha256', names.join('\0'), 'buffer').subarray(0, 16);
}

function one(ms: number | null): Histogram {
  return ms === null ? none : new Map([[bucketOf(ms), 1]]);
}
