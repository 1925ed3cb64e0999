import type { Figure, Overview, OverviewPoint, OverviewRange } from '#contract/overview.ts';
import type { Tx } from '#platform/database/database.ts';
import { byName, keyOf, mostFirst, successRate } from './metric-numbers.ts';
import { countOpenRuns, listLastRuns, listRedWorkflows, type WorkflowName } from './overview-store.ts';
import {
  listKnownDays,
  spreadCells,
  sumCells,
  type CellFilter,
  type Groupings,
  type Spread,
  type Sums,
} from './rollup-store.ts';
import { coverSpan, dayMs, overviewSpan, previousSpan, stepsOf, type TimeSpan } from './time-span.ts';
import { showTime } from './times.ts';

const mostWorkflows = 50;
const runsEach = 30;
const mostAttention = 50;

/** A workflow that has not run on the default branch for so long does not ask for attention. */
const attentionDays = 30;
const mostCandidates = 500;

const inTime: Groupings = [[], ['at']];
const byWorkflow: Groupings = [['repository', 'workflow']];

/** Three round trips, whatever the length of the history. */
export async function readOverview(
  tx: Tx,
  integrationId: string,
  range: OverviewRange,
  now: number,
): Promise<Overview> {
  const span = overviewSpan(range, now);
  const before = previousSpan(span);
  const recent: TimeSpan = {
    ...overviewSpan('30d', now),
    from: overviewSpan('30d', now).to - attentionDays * dayMs,
  };
  const known = await listKnownDays(tx, integrationId, {
    from: Math.min(before.from, recent.from),
    to: Math.max(span.to, recent.to),
  });
  const filterOf = (kind: 'run' | 'job', times: TimeSpan): CellFilter => ({
    integrationId,
    kind,
    granularity: span.granularity,
    cover: coverSpan(times, known, 'day'),
  });
  const current = filterOf('run', span);
  const inSteps = { ...current, cover: coverSpan(span, known, span.granularity) };
  const previous = filterOf('run', before);

  const [sums, spreads, workflows, workflowSpreads, queueTimes, candidates, runningNow] = await Promise.all([
    sumCells(tx, inSteps, inTime),
    spreadCells(tx, inSteps, 'durations', inTime),
    sumCells(tx, current, byWorkflow),
    spreadCells(tx, current, 'durations', byWorkflow),
    spreadCells(tx, filterOf('job', span), 'queue_times', [[]]),
    sumCells(tx, { ...filterOf('run', recent), onDefaultBranch: true }, byWorkflow),
    countOpenRuns(tx, integrationId),
  ]);
  const [pastSums, pastSpreads, pastWorkflows, pastQueueTimes] = await Promise.all([
    sumCells(tx, previous, [[]]),
    spreadCells(tx, previous, 'durations', [[]]),
    sumCells(tx, previous, byWorkflow),
    spreadCells(tx, filterOf('job', before), 'queue_times', [[]]),
  ]);
  const shown = mostFirst(workflows, ({ count }) => count, mostWorkflows);
  const red = mostFirst(candidates, ({ failed }) => failed, mostCandidates).map(nameOf);
  const [lastRuns, needsAttention] = await Promise.all([
    listLastRuns(tx, integrationId, shown.map(nameOf), runsEach),
    listRedWorkflows(tx, integrationId, red, mostAttention),
  ]);
  const [total, past] = [sums.find(isTotal), pastSums.find(isTotal)];
  const durations = byName(workflowSpreads);
  return {
    range,
    from: showTime(span.from),
    to: showTime(span.to),
    granularity: span.granularity,
    runs: { value: total?.count ?? 0, previous: past?.count ?? 0 },
    successRate: { value: rateOf(total), previous: rateOf(past) },
    durationP95Ms: p95Of(spreads, pastSpreads),
    queueP95Ms: p95Of(queueTimes, pastQueueTimes),
    failingWorkflows: { value: countFailing(workflows), previous: countFailing(pastWorkflows) },
    runningNow,
    series: pointsOf(span, sums, byName(spreads)),
    needsAttention,
    workflows: shown.map((group, index) => ({
      ...nameOf(group),
      runs: group.count,
      failed: group.failed,
      durationP50Ms: durations.get(keyOf(group))?.p50Ms ?? null,
      lastRuns: lastRuns[index] ?? [],
    })),
  };
}

function pointsOf(
  span: TimeSpan,
  sums: readonly Sums[],
  durations: ReadonlyMap<string, Spread>,
): OverviewPoint[] {
  const byTime = byName(sums);
  return stepsOf(span).map((at) => {
    const key = keyOf({ grouping: 1, at });
    const { count = 0, succeeded = 0, failed = 0, cancelled = 0 } = byTime.get(key) ?? {};
    const { p50Ms = null, p95Ms = null } = durations.get(key) ?? {};
    return {
      at: showTime(at),
      succeeded,
      failed,
      cancelled,
      other: count - succeeded - failed - cancelled,
      durationP50Ms: p50Ms,
      durationP95Ms: p95Ms,
    };
  });
}

function isTotal({ grouping }: Sums): boolean {
  return grouping === 0;
}

function rateOf(sums: Sums | undefined): number | null {
  return successRate(sums?.succeeded ?? 0, sums?.failed ?? 0);
}

function p95Of(current: readonly Spread[], previous: readonly Spread[]): Figure {
  const total = (spreads: readonly Spread[]) => spreads.find(({ grouping }) => grouping === 0)?.p95Ms ?? null;
  return { value: total(current), previous: total(previous) };
}

function countFailing(workflows: readonly Sums[]): number {
  return workflows.filter(({ failed }) => failed > 0).length;
}

function nameOf({ repository, workflow }: Sums): WorkflowName {
  return { repository: repository ?? '', workflow: workflow ?? '' };
}
