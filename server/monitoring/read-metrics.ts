import type { FailureCount, MetricGrouping, Metrics, MetricsQuery } from '#contract/metrics.ts';
import type { Tx } from '#platform/database/database.ts';
import { makeNumbers, mostFirst, type Parts } from './metric-numbers.ts';
import { listFlakyJobs, readLeadTime } from './metrics-store.ts';
import {
  listKnownDays,
  spreadCells,
  sumCells,
  type CellFilter,
  type Dimension,
  type Groupings,
  type Sums,
} from './rollup-store.ts';
import { coverSpan, metricsSpan, stepsOf } from './time-span.ts';
import { showTime } from './times.ts';

const mostGroups = 100;
const mostOfList = 20;

const dimensionsOf = {
  repository: ['repository'],
  workflow: ['repository', 'workflow'],
  branch: ['branch'],
  runner: ['runner'],
} as const satisfies Record<MetricGrouping, readonly Dimension[]>;

/**
 * All metrics of a span, from rollups; flaky jobs from an index of re-runs, lead times from one of merges. Two round
 * trips. @throws AppError `invalid_request` for a span that may not be asked for.
 */
export async function readMetrics(
  tx: Tx,
  integrationId: string,
  query: MetricsQuery,
  now: number,
): Promise<Metrics> {
  const span = metricsSpan(query, now);
  const { granularity } = span;
  const known = await listKnownDays(tx, integrationId, span);
  const { repository, workflow, runner, branch, groupBy } = query;
  const filter = {
    repository,
    workflow,
    ...(branch === undefined ? {} : { onDefaultBranch: branch === 'default' }),
  };
  const all = { integrationId, granularity, cover: coverSpan(span, known, 'day') };
  const inSteps = { cover: coverSpan(span, known, granularity) };
  const jobs: CellFilter = { ...all, ...filter, kind: 'job', runner };
  // Runs have no runner: where one is asked for, the jobs are what is counted.
  const counted: CellFilter =
    runner !== undefined || groupBy === 'runner' ? jobs : { ...all, ...filter, kind: 'run' };
  const jobParts = { ...jobs, isWithoutConclusions: true };
  // Apart from each other: what has no names is added up already.
  const inTime: Groupings = [[], ['at']];
  const inGroups: Groupings = groupBy === undefined ? [] : [dimensionsOf[groupBy]];

  const [times, grouped, byWorkflow, byJob, runners, flakyJobs, leadTime] = await Promise.all([
    readParts(tx, { ...counted, ...inSteps }, { ...jobParts, ...inSteps }, inTime),
    readParts(tx, counted, jobParts, inGroups),
    sumCells(tx, counted, [['repository', 'workflow']]),
    sumCells(tx, jobs, [['repository', 'workflow', 'job'], ['runner']]),
    sumCells(tx, { ...all, kind: 'runner' }, [['runner']]),
    listFlakyJobs(tx, integrationId, span, filter, mostOfList),
    readLeadTime(tx, integrationId, span, repository),
  ]);
  const [numbersOf, numbersOfGroup] = [makeNumbers(times), makeNumbers(grouped)];
  return {
    from: showTime(span.from),
    to: showTime(span.to),
    granularity,
    total: numbersOf({ grouping: 0 }),
    series: stepsOf(span).map((at) => ({ at: showTime(at), ...numbersOf({ grouping: 1, at }) })),
    groups: mostFirst(grouped.runs, ({ count }) => count, mostGroups).map((group) => ({
      repository: group.repository ?? null,
      workflow: group.workflow ?? null,
      branch: group.branch ?? null,
      runner: group.runner ?? null,
      ...numbersOfGroup(group),
    })),
    failures: { workflows: failuresOf(byWorkflow), jobs: failuresOf(byJob) },
    flakyJobs,
    billable: billableOf(byJob),
    runners: mostFirst(runners, ({ durationMs }) => durationMs, mostOfList).map((group) => ({
      runner: group.runner ?? '',
      jobs: group.count,
      busyMs: group.durationMs,
    })),
    leadTime,
  };
}

async function readParts(
  tx: Tx,
  counted: CellFilter,
  jobs: CellFilter,
  groupings: Groupings,
): Promise<Parts> {
  if (groupings.length === 0) return { runs: [], durations: [], jobs: [], queueTimes: [] };
  const [runs, durations, jobSums, queueTimes] = await Promise.all([
    sumCells(tx, counted, groupings),
    spreadCells(tx, counted, 'durations', groupings),
    sumCells(tx, jobs, groupings),
    spreadCells(tx, jobs, 'queue_times', groupings),
  ]);
  return { runs, durations, jobs: jobSums, queueTimes };
}

function failuresOf(sums: readonly Sums[]): FailureCount[] {
  const named = sums.filter(({ grouping }) => grouping === 0);
  return mostFirst(named, ({ failed }) => failed, mostOfList).map((group) => ({
    repository: group.repository ?? '',
    workflow: group.workflow ?? '',
    job: group.job ?? null,
    failed: group.failed,
    runs: group.count,
  }));
}

function billableOf(sums: readonly Sums[]): Metrics['billable'] {
  const byLabels = sums.filter(({ grouping }) => grouping === 1);
  return mostFirst(byLabels, ({ billableMinutes }) => billableMinutes, mostOfList).map((group) => ({
    runner: group.runner ?? '',
    jobs: group.count,
    billableMinutes: group.billableMinutes,
  }));
}
