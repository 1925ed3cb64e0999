import type {
  FailureCount,
  MetricGrouping,
  MetricNumbers,
  Metrics,
  MetricsQuery,
} from '#contract/metrics/metrics.ts';
import type { Tx } from '#platform/database/database.ts';
import type { DashboardCache } from './dashboard-cache.ts';
import { findRollupState } from '#server/rollups/dashboards/rollup-state-store.ts';
import { byName, keyOf, metricNumbers, largestFirst } from './metric-numbers.ts';
import { listFlakyJobs, readLeadTime } from './metrics-store.ts';
import {
  total,
  type Dimension,
  type RollupFilter,
  type Sums,
} from '#server/rollups/dashboards/aggregate-store.ts';
import { metricsSpan, previousSpan, stepsOf } from '#server/rollups/time-span.ts';
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

/**
 * Reads all metrics of a span in two round trips: from rollups, and flaky jobs and lead times from their own indexes.
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
  const { repository, workflow, runner, branch, groupBy } = query;
  const filter = { repository, workflow, ...(branch && { onDefaultBranch: branch === 'default' }) };
  const sum = cache.sumsIn(
    tx,
    await findRollupState(tx, integrationId, { from: previousSpan(span).from, to: span.to }),
  );
  const jobs: RollupFilter = { integrationId, kind: 'job', ...filter, runner };
  // Runs have no runner, so a filter or group by runner counts jobs.
  const isOfJobs = runner !== undefined || groupBy === 'runner' || groupBy === 'job';
  const counted: RollupFilter = isOfJobs ? jobs : { integrationId, kind: 'run', ...filter };
  /** Durations of the counted runs or jobs, and queue times of the jobs: one query when jobs are counted. */
  const sumBoth = (by: readonly Dimension[], of = span) => {
    if (isOfJobs) {
      const both = sum(jobs, of, by, ['durations', 'queueTimes']);
      return [both, both] as const;
    }
    return [sum(counted, of, by, ['durations']), sum(jobs, of, by, ['queueTimes'])] as const;
  };
  const before = previousSpan(span);
  const groups = groupBy === undefined ? ([[], []] as const) : sumBoth(dimensionsOf[groupBy]);
  const groupsBefore = groupBy === undefined ? ([[], []] as const) : sumBoth(dimensionsOf[groupBy], before);

  const [
    runSteps,
    jobSteps,
    runGroups,
    jobGroups,
    runsBefore,
    jobsBefore,
    runGroupsBefore,
    jobGroupsBefore,
    byWorkflow,
    byJob,
    byLabels,
    runners,
    flakyJobs,
    leadTime,
  ] = await Promise.all([
    ...sumBoth(['at']),
    ...groups,
    ...sumBoth([], before),
    ...groupsBefore,
    groupBy === 'workflow' ? groups[0] : sum(counted, span, dimensionsOf.workflow),
    groupBy === 'job' ? groups[1] : sum(jobs, span, dimensionsOf.job),
    groupBy === 'runner' ? groups[1] : sum(jobs, span, ['runner']),
    sum({ integrationId, kind: 'runner' }, span, ['runner']),
    listFlakyJobs(tx, integrationId, span, filter, maxListed),
    readLeadTime(tx, integrationId, span, repository),
  ]);
  const [runsAt, jobsAt] = [byTime(runSteps), byTime(jobSteps)];
  const jobsOf = byName(jobGroups);
  const [runsOfBefore, jobsOfBefore] = [byName(runGroupsBefore), byName(jobGroupsBefore)];
  return {
    from: showTime(span.from),
    to: showTime(span.to),
    granularity: span.granularity,
    total: metricNumbers(total(runSteps), total(jobSteps)),
    previousTotal: runsBefore.length === 0 ? null : metricNumbers(total(runsBefore), total(jobsBefore)),
    series: stepsOf(span).map((at) => ({
      at: showTime(at),
      ...metricNumbers(runsAt.get(at), jobsAt.get(at)),
    })),
    groups: largestFirst(runGroups, ({ count }) => count, maxGroups).map((group) => ({
      repository: group.repository ?? null,
      workflow: group.workflow ?? null,
      job: group.job ?? null,
      branch: group.branch ?? null,
      runner: group.runner ?? null,
      ...metricNumbers(group, jobsOf.get(keyOf(group))),
      previous: numbersBefore(runsOfBefore.get(keyOf(group)), jobsOfBefore.get(keyOf(group))),
    })),
    failures: {
      workflows: failuresOf(byWorkflow, maxGroups),
      jobs: failuresOf(byJob, maxListed),
    },
    flakyJobs,
    billable: largestFirst(byLabels, ({ billableMinutes }) => billableMinutes, maxListed).map((group) => ({
      runner: group.runner ?? '',
      jobs: group.count,
      billableMinutes: group.billableMinutes,
    })),
    runners: largestFirst(runners, ({ busyMs }) => busyMs, maxListed).map((group) => ({
      runner: group.runner ?? '',
      jobs: group.count,
      busyMs: group.busyMs,
    })),
    leadTime,
  };
}

function numbersBefore(runs: Sums | undefined, jobs: Sums | undefined): MetricNumbers | null {
  return runs === undefined ? null : metricNumbers(runs, jobs);
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
