import {
  changeThresholds,
  longestChangeDays,
  type Change,
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
import { metricsSpan, previousSpan, stepsOf, type TimeSpan } from '../time-span.ts';
import {
  compareAll,
  compareMinutes,
  hasMoreMinutes,
  isComparable,
  significantOnes,
  type Compared,
  type Comparison,
  type PeriodNumbers,
} from './compare-periods.ts';
import { comparedItems } from './compared-items.ts';
import { findMoments } from './find-moments.ts';
import { entriesOf, readParts, type Entry } from './read-parts.ts';
import { readTrends, type TrendSource } from './read-trends.ts';
import { listRecoveredJobs } from './recovered-jobs-store.ts';

const maxListed = 30;
/** So many workflows and jobs with more minutes are compared by the day. The others count as not worse. */
const maxWithMoreMinutes = 100;
/** Days of longer periods are those of UTC, because the days of both periods are read from hours. */
const longestLocalDays = 31;

const byWorkflow = ['repository', 'workflow'] as const;
const byJob = ['repository', 'workflow', 'job'] as const;

/**
 * Compares the rollups of a period with those of the period before. The cost depends on the length of the period and the number
 * of workflows and jobs; of runs only those of listed changes are read.
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
  const source = { integrationId, span: both, state, onDefaultBranch, recovered };
  const comparisons = [...compareAll(items), ...(await compareDays(tx, items, source, now))];
  const found = significantOnes(comparisons).map(({ item, ...rest }) => ({ ...item, ...rest }));
  const entries = entriesOf(found);
  const listed = entries.slice(0, maxListed);
  const changes = listed.map(({ change }) => change);
  const moments = await findMoments(tx, integrationId, changes, both, onDefaultBranch);
  const periods = { previousFrom: before.from, from: span.from, to: span.to };
  const parts = await readParts(tx, integrationId, listed, moments, periods, onDefaultBranch);
  const trends = await readTrends(tx, changes, source);
  return {
    from: showTime(span.from),
    to: showTime(span.to),
    previousFrom: showTime(before.from),
    granularity: span.granularity,
    timeZone: span.timeZone,
    compared: items.length,
    count: entries.length,
    items: listed.map((entry, index) => shownEntry(entry, moments[index]!, parts[index]!, trends[index]!)),
    comparesFlakyJobs: knowsFlakyJobs,
  };
}

/** Compares the minutes of days, which needs whole weeks of them and a period before that is fully known. */
async function compareDays(
  tx: Tx,
  items: readonly Compared[],
  source: TrendSource,
  now: number,
): Promise<Comparison<Compared>[]> {
  const { span, state } = source;
  const steps = stepsOf(span).length;
  if (span.granularity === 'hour' || steps < 2 * changeThresholds.minutesDays || state.firstHour > span.from)
    return [];
  // The day in progress is no whole day.
  const over = span.to > now ? steps - 1 : steps;
  const candidates = new Set(
    items
      .filter(hasMoreMinutes)
      .toSorted((a, b) => b.after.billableMinutes - a.after.billableMinutes)
      .slice(0, maxWithMoreMinutes),
  );
  const subjects = [...candidates].map((item) => ({ ...item, kind: 'costlier' as const }));
  const minutes = (await readTrends(tx, subjects, source)).map((days) => days.map((each) => each ?? 0));
  const compared = [...candidates].map((item, index) =>
    compareMinutes(item, minutes[index]!.slice(0, steps / 2), minutes[index]!.slice(steps / 2, over)),
  );
  const others = items.filter((item) => !candidates.has(item));
  return [
    ...compared,
    ...others.map((item) => ({ item, kind: 'costlier' as const, effect: 0, probability: 1 })),
  ];
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

function spanOf({ from, to, timeZone }: ChangesQuery, now: number): TimeSpan {
  const span = metricsSpan({ from, to, timeZone }, now, longestLocalDays);
  if (span.to - span.from > (longestChangeDays + 1) * dayMs)
    throw invalidField('from', `must be at most ${longestChangeDays} days before to`);
  return span;
}

function shownEntry(
  { change: { kind, repository, workflow, job, probability, before, after } }: Entry,
  since: Change['since'],
  parts: Change['parts'],
  trend: Change['trend'],
): Change {
  return {
    kind,
    repository,
    workflow,
    job,
    before: shown(before),
    after: shown(after),
    probability,
    since,
    parts,
    trend,
  };
}

function shown({ measured: _measured, durations: _durations, ...numbers }: PeriodNumbers): ChangeNumbers {
  return numbers;
}
