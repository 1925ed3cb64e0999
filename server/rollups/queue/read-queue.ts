import { fewestForP90 } from '#contract/metrics/percentiles.ts';
import {
  usualQueueDays,
  type LabelQueue,
  type OpenJob,
  type Queue,
  type QueueQuery,
  type UsualQueue,
} from '#contract/metrics/queue.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { findRollupState } from '#server/rollups/dashboards/rollup-state-store.ts';
import { quantileMs, type Counts } from '#server/rollups/histograms.ts';
import { metricsSpan } from '#server/rollups/time-span.ts';
import { listOpenJobs, type OpenJobRow } from './queue-store.ts';

const maxListed = 200;

/** Which jobs wait now, against the queue times of the last days, and which runners are busy. */
export async function readQueue(
  tx: Tx,
  integrationId: string,
  { runner, limit = maxListed }: QueueQuery,
  now: number,
  cache: DashboardCache,
): Promise<Queue> {
  const span = metricsSpan(
    { from: new Date(now - (usualQueueDays - 1) * dayMs).toISOString(), granularity: 'day' },
    now,
  );
  const [{ jobs, isCut }, state] = await Promise.all([
    listOpenJobs(tx, integrationId, now),
    findRollupState(tx, integrationId, span),
  ]);
  const sums = await cache.sumsIn(tx, state)(
    { integrationId, kind: 'job' },
    span,
    ['runner'],
    ['queueTimes'],
  );
  const usual = new Map(sums.map((sum) => [sum.runner ?? '', usualOf(sum.queueTimes)]));
  const of = (wanted: OpenJobRow['state']) => jobs.filter(({ state: each }) => each === wanted);
  const [waiting, held, running] = [of('waiting'), of('held'), of('running')];
  const labels = labelsOf(waiting, running, usual);
  const listed = (all: readonly OpenJobRow[]) =>
    longestFirst(all.filter((job) => runner === undefined || job.runner === runner))
      .slice(0, limit)
      .map(openJob);
  return {
    from: showTime(span.from),
    to: showTime(span.to),
    waiting: waiting.length,
    held: held.length,
    running: running.length,
    busyRunners: countRunners(running),
    isCut,
    labelSets: labels.length,
    labels: labels.slice(0, limit),
    waitingJobs: listed(waiting),
    heldJobs: listed(held),
    runningJobs: listed(running),
  };
}

function usualOf(queueTimes: Counts): UsualQueue {
  const count = queueTimes.reduce((sum, each = 0) => sum + each, 0);
  return {
    count,
    p50: quantileMs(queueTimes, 0.5),
    p90: count < fewestForP90 ? null : quantileMs(queueTimes, 0.9),
  };
}

function labelsOf(
  waiting: readonly OpenJobRow[],
  running: readonly OpenJobRow[],
  usual: ReadonlyMap<string, UsualQueue>,
): LabelQueue[] {
  const [waits, runs] = [waiting, running].map((jobs) => Map.groupBy(jobs, ({ runner }) => runner)) as [
    Map<string, OpenJobRow[]>,
    Map<string, OpenJobRow[]>,
  ];
  return [...new Set([...waits.keys(), ...runs.keys()])]
    .map((runner) => {
      const [oldest] = longestFirst(waits.get(runner) ?? []);
      return {
        runner,
        waiting: waits.get(runner)?.length ?? 0,
        running: runs.get(runner)?.length ?? 0,
        since: oldest === undefined ? null : showTime(sinceOf(oldest)),
        usual: usual.get(runner) ?? usualOf([]),
      };
    })
    .toSorted(
      (a, b) =>
        (a.since === null ? Infinity : Date.parse(a.since)) -
          (b.since === null ? Infinity : Date.parse(b.since)) || b.running - a.running,
    );
}

/**
 * Ids of runners repeat in other organizations, and among the repositories of one, so a runner is its owner, id and name. Forges
 * cannot rename a runner. Older versions of Gitea send no id.
 */
function countRunners(running: readonly OpenJobRow[]): number {
  const keys = running
    .filter(({ runnerName }) => runnerName !== null)
    .map(({ repository, runnerId, runnerName }) =>
      [repository.split('/')[0], runnerId, runnerName].join('\0'),
    );
  return new Set(keys).size;
}

const sinceOf = ({ state, startedAt, createdAt }: OpenJobRow): number =>
  ((state === 'running' ? startedAt : null) ?? createdAt).getTime();

function longestFirst(jobs: readonly OpenJobRow[]): OpenJobRow[] {
  return jobs.toSorted((a, b) => sinceOf(a) - sinceOf(b) || a.jobId - b.jobId);
}

function openJob(row: OpenJobRow): OpenJob {
  const { repository, workflow, runId, attempt, jobId, name, runner, runnerName } = row;
  const since = showTime(sinceOf(row));
  return { repository, workflow, runId, attempt, jobId, name, runner, runnerName, since };
}
