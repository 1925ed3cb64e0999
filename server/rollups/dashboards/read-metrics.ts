import type {
  FailureCount,
  MetricGroup,
  MetricGrouping,
  MetricNumbers,
  Metrics,
  MetricsQuery,
} from '#contract/metrics/metrics.ts';
import type { Tx } from '#platform/database/database.ts';
import type { DashboardCache } from './dashboard-cache.ts';
import { findRollupState } from '#server/rollups/dashboards/rollup-state-store.ts';
import { byName, keyOf, metricNumbers, largestFirst } from './metric-numbers.ts';
import { listFlakyJobs, readTimeToMerge } from './metrics-store.ts';
import {
  total,
  type Dimension,
  type RollupFilter,
  type Sums,
} from '#server/rollups/dashboards/aggregate-store.ts';
import { comparedSpan, metricsSpan, stepsOf, type TimeSpan } from '#server/rollups/time-span.ts';
import { showTime } from '#platform/runtime/times.ts';

const maxGroups = 100;
const maxListed = 20;

const dimensionsOf = {
  repository: ['repository'],
  workflow: ['repository', 'workflow'],
  job: ['repository', 'workflow', 'job'],
  branch: ['branch'],
  runner: ['runner'],
} as const satisfies Record<MetricGrouping, readonly Dimension[]>;

/** Sums of the counted runs or jobs, and those of the jobs for queue times and minutes. */
interface Both {
  runs: readonly Sums[];
  jobs: readonly Sums[];
}

/**
 * Reads all metrics of a span in two round trips: from rollups, and flaky jobs and times to merge from their own indexes.
 * @throws AppError `invalid_request` when the span is invalid or too long.
 */
export async function readMetrics(
  tx: Tx,
  integrationId: string,
  query: MetricsQuery,
  now: number,
  cache: DashboardCache,
): Promise<Metrics> {
  const span = metricsSpan(query, now);
  const sums = await readSums(tx, integrationId, query, { span, now }, cache);
  return {
    from: showTime(span.from),
    to: showTime(span.to),
    granularity: span.granularity,
    timeZone: span.timeZone,
    total: totalOf(sums.steps),
    previousTotal:
      sums.before.runs.length === 0 ? null : comparable(totalOf(sums.before), isOneWorkflow(query)),
    series: seriesOf(span, sums.steps),
    groups: groupsOf(sums.groups, sums.groupsBefore, isOneWorkflow(query)),
    failures: {
      workflows: failuresOf(sums.byWorkflow, maxGroups),
      jobs: failuresOf(sums.byJob, maxListed),
    },
    flakyJobs: sums.flakyJobs,
    billable: largestFirst(sums.byLabels, ({ billableMinutes }) => billableMinutes, maxListed).map(
      ({ runner, count: jobs, billableMinutes }) => ({ runner: runner ?? '', jobs, billableMinutes }),
    ),
    runners: largestFirst(sums.runners, ({ busyMs }) => busyMs, maxListed).map(
      ({ runner, count: jobs, busyMs }) => ({ runner: runner ?? '', jobs, busyMs }),
    ),
    timeToMerge: sums.timeToMerge,
  };
}

async function readSums(
  tx: Tx,
  integrationId: string,
  { repository, workflow, runner, branch, groupBy }: MetricsQuery,
  { span, now }: { span: TimeSpan; now: number },
  cache: DashboardCache,
) {
  const filter = { repository, workflow, ...(branch && { onDefaultBranch: branch === 'default' }) };
  const before = comparedSpan(span, now);
  const state = await findRollupState(tx, integrationId, { from: before.from, to: span.to });
  const sum = cache.sumsIn(tx, state);
  // Nothing is compared with a period that is not covered by data.
  const nothing: Both = { runs: [], jobs: [] };
  const isCovered = state.firstHour <= before.from;
  const jobs: RollupFilter = { integrationId, kind: 'job', ...filter, runner };
  // Runs have no runner, so a filter or group by runner counts jobs.
  const isOfJobs = runner !== undefined || groupBy === 'runner' || groupBy === 'job';
  const counted: RollupFilter = isOfJobs ? jobs : { integrationId, kind: 'run', ...filter };
  /** One query when jobs are counted. */
  const sumBoth = async (by: readonly Dimension[], of = span): Promise<Both> => {
    if (isOfJobs) {
      const both = await sum(jobs, of, by, ['durations', 'queueTimes']);
      return { runs: both, jobs: both };
    }
    const [ofRuns, ofJobs] = await Promise.all([
      sum(counted, of, by, ['durations']),
      sum(jobs, of, by, ['queueTimes']),
    ]);
    return { runs: ofRuns, jobs: ofJobs };
  };
  const sumGroups = async (of: TimeSpan): Promise<Both> =>
    groupBy === undefined ? { runs: [], jobs: [] } : sumBoth(dimensionsOf[groupBy], of);
  const summed = sumGroups(span);
  const sumBy = async (by: MetricGrouping, of: RollupFilter) =>
    groupBy === by ? (await summed).runs : sum(of, span, dimensionsOf[by]);

  const [steps, groups, ofBefore, groupsBefore, byWorkflow, byJob, byLabels, runners, flakyJobs, merges] =
    await Promise.all([
      sumBoth(['at']),
      summed,
      isCovered ? sumBoth([], before) : nothing,
      isCovered ? sumGroups(before) : nothing,
      sumBy('workflow', counted),
      sumBy('job', jobs),
      sumBy('runner', jobs),
      sum({ integrationId, kind: 'runner' }, span, ['runner']),
      listFlakyJobs(tx, integrationId, span, { ...filter, runner }, maxListed),
      readTimeToMerge(tx, integrationId, span, repository),
    ]);
  return {
    steps,
    groups,
    before: ofBefore,
    groupsBefore,
    byWorkflow,
    byJob,
    byLabels,
    runners,
    flakyJobs,
    timeToMerge: merges,
  };
}

function totalOf({ runs, jobs }: Both): MetricNumbers {
  return metricNumbers(total(runs), total(jobs));
}

function seriesOf(span: TimeSpan, { runs, jobs }: Both): Metrics['series'] {
  const [runsAt, jobsAt] = [byTime(runs), byTime(jobs)];
  return stepsOf(span).map((at) => ({
    at: showTime(at),
    ...metricNumbers(runsAt.get(at), jobsAt.get(at)),
  }));
}

function groupsOf(groups: Both, before: Both, isOfOne: boolean): MetricGroup[] {
  const jobsOf = byName(groups.jobs);
  const [runsBefore, jobsBefore] = [byName(before.runs), byName(before.jobs)];
  return largestFirst(groups.runs, ({ count }) => count, maxGroups).map((group) => {
    const key = keyOf(group);
    const previous = runsBefore.get(key);
    return {
      repository: group.repository ?? null,
      workflow: group.workflow ?? null,
      job: group.job ?? null,
      branch: group.branch ?? null,
      runner: group.runner ?? null,
      ...metricNumbers(group, jobsOf.get(key)),
      previous:
        previous === undefined
          ? null
          : comparable(metricNumbers(previous, jobsBefore.get(key)), isOfOne || group.workflow !== undefined),
    };
  });
}

/** Rates and times of several workflows depend on which of them ran how often, so they are compared for one workflow only. */
function comparable(numbers: MetricNumbers, isOfOne: boolean): MetricNumbers {
  if (isOfOne) return numbers;
  const none = {
    successRate: null,
    durationP50Ms: null,
    durationP95Ms: null,
    queueP50Ms: null,
    queueP95Ms: null,
  };
  return { ...numbers, ...none };
}

function isOneWorkflow({ repository, workflow }: MetricsQuery): boolean {
  return repository !== undefined && workflow !== undefined;
}

function byTime(steps: readonly Sums[]): Map<number | undefined, Sums> {
  return new Map(steps.map((step) => [step.at, step]));
}

function failuresOf(groups: readonly Sums[], most: number): FailureCount[] {
  return largestFirst(groups, ({ failed }) => failed, most).map((group) => ({
    repository: group.repository ?? '',
    workflow: group.workflow ?? '',
    job: group.job ?? null,
    failed: group.failed,
    runs: group.count,
  }));
}
