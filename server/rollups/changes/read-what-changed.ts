import {
  changeKinds,
  longestChangeDays,
  type Change,
  type ChangeKind,
  type ChangeNumbers,
  type Changes,
  type ChangesQuery,
} from '#contract/metrics/changes.ts';
import type { Tx } from '#platform/database/database.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { RollupFilter } from '../dashboards/aggregate-store.ts';
import type { AggregateSpan, DashboardCache } from '../dashboards/dashboard-cache.ts';
import { findRollupState } from '../dashboards/rollup-state-store.ts';
import { metricsSpan, previousSpan, type TimeSpan } from '../time-span.ts';
import { findChanges, isComparable, type Found, type PeriodNumbers } from './compare-periods.ts';
import { comparedItems } from './compared-items.ts';
import { findMoments } from './find-moments.ts';
import { readStepsBehind } from './steps/read-steps-behind.ts';
import { listRecoveredJobs } from './recovered-jobs-store.ts';

const maxListed = 10;

const byWorkflow = ['repository', 'workflow'] as const;
const byJob = ['repository', 'workflow', 'job'] as const;

/**
 * Compares the rollups of a period with those of the period before. The cost depends on the length of the period and the number
 * of workflows and jobs, and not on the number of runs.
 * @throws AppError `invalid_request` when the period is invalid or too long.
 */
export async function readWhatChanged(
  tx: Tx,
  integrationId: string,
  query: ChangesQuery,
  now: number,
  cache: DashboardCache,
): Promise<Changes> {
  const { repository, workflow, branch } = query;
  const span = spanOf(query, now);
  const before = previousSpan(span);
  const both = { ...span, from: before.from };
  const onDefaultBranch = branch && branch === 'default';
  const filter = { repository, workflow, onDefaultBranch };
  const state = await findRollupState(tx, integrationId, both);
  const { items, recovered, knowsFlakyJobs } = await compareItems(tx, { integrationId, ...filter }, span, {
    both,
    sum: cache.sumsIn(tx, state),
  });
  const found = findChanges(items);
  const listed = changeKinds.flatMap((kind) => found[kind].slice(0, maxListed));
  const moments = await findMoments(tx, listed, {
    integrationId,
    span: both,
    state,
    onDefaultBranch,
    recovered,
  });
  const steps = await readStepsBehind(tx, integrationId, listed, {
    span: { previousFrom: before.from, ...span },
    onDefaultBranch,
  });
  const changes = listed.map((change, index) => changeOf(change, moments[index] ?? null, steps[index] ?? []));
  const listOf = (kind: ChangeKind) => ({
    count: found[kind].length,
    items: changes.filter((_, index) => listed[index]!.kind === kind),
  });
  return {
    from: showTime(span.from),
    to: showTime(span.to),
    previousFrom: showTime(before.from),
    compared: items.length,
    slower: listOf('slower'),
    failing: listOf('failing'),
    flakier: listOf('flakier'),
    costlier: listOf('costlier'),
    comparesFlakyJobs: knowsFlakyJobs,
  };
}

async function compareItems(
  tx: Tx,
  { integrationId, ...filter }: Omit<RollupFilter, 'kind'>,
  span: TimeSpan,
  { both, sum }: { both: TimeSpan; sum: AggregateSpan },
) {
  const sumsOf = async (of: TimeSpan) => {
    const [runs, jobs] = await Promise.all([
      sum({ integrationId, kind: 'run', ...filter }, of, byWorkflow, ['durations']),
      sum({ integrationId, kind: 'job', ...filter }, of, byJob, ['durations']),
    ]);
    return { runs, jobs };
  };
  const [sumsBefore, sumsAfter, flips] = await Promise.all([
    sumsOf(previousSpan(span)),
    sumsOf(span),
    listRecoveredJobs(tx, integrationId, both, filter),
  ]);
  const recovered = flips ?? [];
  const items = comparedItems(sumsBefore, sumsAfter, {
    before: recovered.filter(({ at }) => at < span.from),
    after: recovered.filter(({ at }) => at >= span.from),
  });
  return { items: items.filter(isComparable), recovered, knowsFlakyJobs: flips !== undefined };
}

function spanOf({ from, to }: ChangesQuery, now: number): TimeSpan {
  const span = metricsSpan({ from, to }, now);
  if (span.to - span.from > (longestChangeDays + 1) * dayMs)
    throw invalidField('from', `must be at most ${longestChangeDays} days before to`);
  return span;
}

function changeOf(
  { repository, workflow, job, measure, before, after }: Found,
  since: Change['since'],
  steps: Change['steps'],
): Change {
  return {
    repository,
    workflow,
    job,
    before: shown(before),
    after: shown(after),
    measure,
    since,
    steps,
  };
}

function shown({ decided: _decided, measured: _measured, ...numbers }: PeriodNumbers): ChangeNumbers {
  return numbers;
}
