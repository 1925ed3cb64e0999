import type { Attention, Overview, OverviewPoint, OverviewRange } from '#contract/metrics/overview.ts';
import { firstTryRate } from '#contract/metrics/first-try.ts';
import type { Tx } from '#platform/database/database.ts';
import { readRedWorkflows } from '#server/failures/blame/red-workflows.ts';
import { readWorkflowStates, type WorkflowName } from '#server/runs/latest/workflow-states.ts';
import { quantileMs } from '#server/rollups/histograms.ts';
import type { DashboardCache } from './dashboard-cache.ts';
import { findRollupState } from '#server/rollups/dashboards/rollup-state-store.ts';
import { largestFirst, likeWithLike, successRate } from './metric-numbers.ts';
import { countOpenRuns, listLastRuns } from './overview-store.ts';
import { total, type RollupFilter, type Sums } from '#server/rollups/dashboards/aggregate-store.ts';
import { comparedSpan, overviewSpan, stepsOf, type TimeSpan } from '#server/rollups/time-span.ts';
import { showTime } from '#platform/runtime/times.ts';

const maxWorkflows = 50;
const runsEach = 30;
const maxAttention = 50;

const byWorkflow = ['repository', 'workflow'] as const;

/** Reads the overview in four round trips. The cost does not depend on the length of the history. */
export async function readOverview(
  tx: Tx,
  integrationId: string,
  { range, timeZone }: { range: OverviewRange; timeZone?: string | undefined },
  now: number,
  cache: DashboardCache,
): Promise<Overview> {
  const span = overviewSpan(range, now, timeZone);
  const before = comparedSpan(span, now);
  const sums = await readSums(tx, integrationId, { span, before }, cache);
  const shown = largestFirst(sums.workflows, ({ count }) => count, maxWorkflows);
  const [lastRuns, needsAttention] = await Promise.all([
    listLastRuns(tx, integrationId, shown.map(nameOf), runsEach),
    readAttention(tx, integrationId, now),
  ]);
  return {
    range,
    from: showTime(span.from),
    to: showTime(span.to),
    granularity: span.granularity,
    timeZone: span.timeZone,
    ...figuresOf(sums),
    runningNow: sums.runningNow,
    series: pointsOf(span, sums.times),
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

async function readSums(
  tx: Tx,
  integrationId: string,
  { span, before }: Record<'span' | 'before', TimeSpan>,
  cache: DashboardCache,
) {
  const state = await findRollupState(tx, integrationId, { from: before.from, to: span.to });
  const sum = cache.sumsIn(tx, state);
  const runs: RollupFilter = { integrationId, kind: 'run' };
  const jobs: RollupFilter = { integrationId, kind: 'job' };
  const [times, waited, workflows, workflowsBefore, runningNow] = await Promise.all([
    sum(runs, span, ['at'], ['durations']),
    sum(jobs, span, [], ['queueTimes']),
    sum(runs, span, byWorkflow, ['durations']),
    sum(runs, before, byWorkflow, ['durations']),
    countOpenRuns(tx, integrationId),
  ]);
  return {
    times,
    waited,
    workflows,
    workflowsBefore,
    runningNow,
    isComparable: state.firstHour <= before.from,
  };
}

/** Each figure with what it is compared with. Nothing is compared with a period that is not covered by data. */
function figuresOf({
  times,
  waited,
  workflows,
  workflowsBefore,
  isComparable,
}: Awaited<ReturnType<typeof readSums>>) {
  const [ran, ranBefore] = [total(times), total(workflowsBefore)];
  const like = likeWithLike(workflows, workflowsBefore);
  const compared = (value: number | null, comparable: number | null, previous: number | null) =>
    isComparable ? { value, comparable, previous } : { value, comparable: null, previous: null };
  const compareCounts = (value: number, previous: number) => compared(value, value, previous);
  const rateOf = ({ succeeded, failed }: Pick<Sums, 'succeeded' | 'failed'>) =>
    successRate(succeeded, failed);
  const p95Of = ({ durations }: Pick<Sums, 'durations'>) => quantileMs(durations, 0.95);
  return {
    runs: compareCounts(ran.count, ranBefore.count),
    successRate: compared(rateOf(ran), rateOf(like.after), rateOf(like.before)),
    firstTryRate: compared(firstTryRate(ran), firstTryRate(like.after), firstTryRate(like.before)),
    firstTries: ran.succeeded - ran.recovered,
    durationP95Ms: compared(p95Of(ran), p95Of(like.after), p95Of(like.before)),
    // Depends on which runners were asked for, which differs between periods.
    queueP95Ms: { value: quantileMs(total(waited).queueTimes, 0.95), comparable: null, previous: null },
    failingWorkflows: compareCounts(countFailing(workflows), countFailing(workflowsBefore)),
  };
}

async function readAttention(tx: Tx, integrationId: string, now: number): Promise<Attention[]> {
  const states = await readWorkflowStates(tx, integrationId, { now });
  return readRedWorkflows(tx, integrationId, states, maxAttention);
}

function countFailing(workflows: readonly Sums[]): number {
  return workflows.filter(({ failed }) => failed > 0).length;
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
