import type { Overview, OverviewPoint, OverviewRange } from '#contract/overview.ts';
import type { Tx } from '#platform/database/database.ts';
import { coverSpan, inSteps, longestBlock, stepHours, type Piece } from './blocks.ts';
import { quantileMs } from './histograms.ts';
import { mostFirst, successRate } from './metric-numbers.ts';
import { countOpenRuns, listLastRuns, listRedWorkflows, type WorkflowName } from './overview-store.ts';
import { findKnownBlocks, sumCells, total, type CellFilter, type Sums } from './rollup-store.ts';
import { dayMs, overviewSpan, previousSpan, stepsOf, type TimeSpan } from './time-span.ts';
import { showTime } from './times.ts';

const mostWorkflows = 50;
const runsEach = 30;
const mostAttention = 50;

/** A workflow that has not run on the default branch for so long does not ask for attention. */
const attentionDays = 30;
const mostCandidates = 500;

const byWorkflow = ['repository', 'workflow'] as const;

/** What is grouped by time has the numbers of the time before as one group more. */
const beforeAll = -1;

/** Three round trips, whatever the length of the history. */
export async function readOverview(
  tx: Tx,
  integrationId: string,
  range: OverviewRange,
  now: number,
): Promise<Overview> {
  const span = overviewSpan(range, now);
  const before = previousSpan(span);
  const recent = recentSpan(now);
  const known = await findKnownBlocks(tx, integrationId, {
    from: Math.min(before.from, recent.from),
    to: Math.max(span.to, recent.to),
  });
  const current = coverSpan(span, known, longestBlock);
  const past = coverSpan(before, known, longestBlock);
  const inTime = [...inSteps(coverSpan(span, known, stepHours[span.granularity]), span), ...asPast(past)];
  const jobs: CellFilter = { integrationId, kind: 'job', pieces: [...current, ...asPast(past)] };
  const runs: CellFilter = { integrationId, kind: 'run', pieces: current };
  const onDefaultBranch = { pieces: coverSpan(recent, known, longestBlock), onDefaultBranch: true };

  const [times, queueTimes, workflows, pastWorkflows, candidates, runningNow] = await Promise.all([
    sumCells(tx, { ...runs, pieces: inTime }, ['at'], ['durations']),
    sumCells(tx, jobs, ['at'], ['queueTimes']),
    sumCells(tx, runs, byWorkflow, ['durations']),
    sumCells(tx, { ...runs, pieces: past }, byWorkflow),
    sumCells(tx, { ...runs, ...onDefaultBranch }, byWorkflow),
    countOpenRuns(tx, integrationId),
  ]);
  const shown = mostFirst(workflows, ({ count }) => count, mostWorkflows);
  const red = mostFirst(candidates, ({ failed }) => failed, mostCandidates).map(nameOf);
  const [lastRuns, needsAttention] = await Promise.all([
    listLastRuns(tx, integrationId, shown.map(nameOf), runsEach),
    listRedWorkflows(tx, integrationId, red, mostAttention),
  ]);
  const compare = <T>(groups: readonly Sums[], valueOf: (sums: readonly Sums[]) => T) => ({
    value: valueOf(groups.filter(isCurrent)),
    previous: valueOf(groups.filter((group) => !isCurrent(group))),
  });
  return {
    range,
    from: showTime(span.from),
    to: showTime(span.to),
    granularity: span.granularity,
    runs: compare(times, (sums) => total(sums).count),
    successRate: compare(times, (sums) => successRate(total(sums).succeeded, total(sums).failed)),
    durationP95Ms: compare(times, (sums) => quantileMs(total(sums).durations, 0.95)),
    queueP95Ms: compare(queueTimes, (sums) => quantileMs(total(sums).queueTimes, 0.95)),
    failingWorkflows: { value: countFailing(workflows), previous: countFailing(pastWorkflows) },
    runningNow,
    series: pointsOf(span, times),
    needsAttention,
    workflows: shown.map((group, index) => ({
      ...nameOf(group),
      runs: group.count,
      failed: group.failed,
      durationP50Ms: quantileMs(group.durations, 0.5),
      lastRuns: lastRuns[index] ?? [],
    })),
  };
}

/** What ran in it is looked at for what is red. */
function recentSpan(now: number): TimeSpan {
  const month = overviewSpan('30d', now);
  return { ...month, from: month.to - attentionDays * dayMs };
}

function asPast(pieces: readonly Piece[]): (Piece & { at: number })[] {
  return pieces.map((piece) => ({ ...piece, at: beforeAll }));
}

function countFailing(workflows: readonly Sums[]): number {
  return workflows.filter(({ failed }) => failed > 0).length;
}

function isCurrent({ at }: Sums): boolean {
  return at !== beforeAll;
}

function pointsOf(span: TimeSpan, times: readonly Sums[]): OverviewPoint[] {
  const byTime = new Map(times.map((time) => [time.at, time]));
  return stepsOf(span).map((at) => {
    const { count = 0, succeeded = 0, failed = 0, cancelled = 0, durations = [] } = byTime.get(at) ?? {};
    return {
      at: showTime(at),
      succeeded,
      failed,
      cancelled,
      other: count - succeeded - failed - cancelled,
      durationP50Ms: quantileMs(durations, 0.5),
      durationP95Ms: quantileMs(durations, 0.95),
    };
  });
}

function nameOf({ repository, workflow }: Sums): WorkflowName {
  return { repository: repository ?? '', workflow: workflow ?? '' };
}
