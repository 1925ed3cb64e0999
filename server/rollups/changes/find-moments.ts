import type { Moment } from '#contract/metrics/changes.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import { showTime } from '#platform/runtime/times.ts';
import { compareUrl } from '#server/runs/compare-url.ts';
import { coverFinalized, coverOpen, type RollupState } from '../dashboards/cover-span.ts';
import { stepMs, stepsOf, type TimeSpan } from '../time-span.ts';
import type { Found } from './compare-periods.ts';
import { keyOf } from './compared-items.ts';
import { addSteps, findShift } from './find-shift.ts';
import type { RecoveredJobs } from './recovered-jobs-store.ts';
import { listRunsAround, type RunAround } from './runs-around-store.ts';
import { addUp, isFoundInRuns, minimumOf, runStepOf, seriesOf, stepOf } from './steps/steps-of-change.ts';
import { readHours, readSteps, type StepSums } from './steps/steps-store.ts';

export interface MomentSearch {
  integrationId: string;
  /** Both periods. */
  span: TimeSpan;
  state: RollupState;
  onDefaultBranch: boolean | undefined;
  recovered: readonly RecoveredJobs[];
}

interface Rough {
  at: number;
  precision: Moment['precision'];
  /** The hours or days around it. */
  stepMs: number;
  series: readonly string[];
  /** In the steps before and after it. */
  runs: number;
}

/** The fewest runs on each side of a moment within two days, and of one among single runs. */
const minimumInDays = 3;
const minimumInRuns = 2;
/** With at most this many runs in two days, all of them are read, and no hours. */
const fewRuns = 30;
/** The fewest runs on each side that are searched. */
const leastSearched = 8;

/**
 * The moment of each change: first the day, then the hour in the days around it, then the run in the hours around that. Each is
 * the one that best divides the runs, see `findShift`. Four queries for all changes.
 */
export async function findMoments(
  tx: Tx,
  changes: readonly Found[],
  search: MomentSearch,
): Promise<(Moment | null)[]> {
  const days = await findSteps(tx, changes, search);
  const hours = search.span.granularity === 'hour' ? days : await findHours(tx, changes, days, search);
  const known = changes.flatMap((change, index) => {
    const rough = hours[index];
    return rough === undefined ? [] : [{ change, rough, index }];
  });
  const runs = await listRunsAround(
    tx,
    search.integrationId,
    known.map(({ change, rough }) => ({
      ...change,
      // The nearest runs before the end of the step after the moment cover both steps.
      at: rough.at + (isFoundInRuns(change) ? rough.stepMs : 0),
    })),
    search.onDefaultBranch,
  );
  const moments = changes.map((): Moment | null => null);
  for (const [place, { change, rough, index }] of known.entries())
    moments[index] = momentOf(change, rough, runs[place]!);
  return moments;
}

/** The hour or day of each change, in the granularity of the span. */
async function findSteps(
  tx: Tx,
  changes: readonly Found[],
  { integrationId, span, state, onDefaultBranch, recovered }: MomentSearch,
): Promise<(Rough | undefined)[]> {
  const filter = { stepMs: stepMs[span.granularity], onDefaultBranch };
  const names = changes.map(seriesOf);
  const cover = coverFinalized(span, state, span.granularity === 'day');
  cover.hours.push(...coverOpen(span, state).hours);
  const sums = byStep(await readSteps(tx, integrationId, names, cover, filter));
  const starts = stepsOf(span);
  const flips = new Map(recovered.map((each) => [`${each.at} ${keyOf(each)}`, each.recovered]));
  return changes.map((change, index) => {
    const own = starts.map((at) => sums.get(`${index} ${at}`) ?? []);
    const steps = own.map((parts, place) => {
      const added = addUp(parts);
      const isOfJob = change.kind === 'flakier' && change.job !== null;
      const count = isOfJob ? (flips.get(`${starts[place]} ${keyOf(change)}`) ?? 0) : added.recovered;
      return stepOf(change, { ...added, recovered: count }, starts.length / 2);
    });
    const found = findShift(steps, minimumOf(change));
    if (found === undefined) return undefined;
    const near = own.slice(Math.max(0, found - 1), found + 1).flat();
    return {
      at: starts[found]!,
      precision: span.granularity,
      stepMs: stepMs[span.granularity],
      series: [...new Set(near.flatMap(({ series }) => series))],
      runs: addSteps(steps.slice(Math.max(0, found - 1), found + 1)).total,
    };
  });
}

/** The hour within the day before and after each moment. */
async function findHours(
  tx: Tx,
  changes: readonly Found[],
  days: readonly (Rough | undefined)[],
  { integrationId }: MomentSearch,
): Promise<(Rough | undefined)[]> {
  const wanted = changes.map((change, index) => {
    const day = days[index];
    const [from, to] = day === undefined ? [0, 0] : [day.at - dayMs, day.at + dayMs];
    const series = day !== undefined && isFoundInRuns(change) && day.runs > fewRuns ? day.series : [];
    return { kind: seriesOf(change).kind, series, from, to };
  });
  const sums = byStep(await readHours(tx, integrationId, wanted));
  return changes.map((change, index) => {
    const { from, to, series } = wanted[index]!;
    const starts = Array.from({ length: (to - from) / hourMs }, (_, hour) => from + hour * hourMs);
    const steps = starts.map((at) => stepOf(change, addUp(sums.get(`${index} ${at}`) ?? [])));
    const found = series.length === 0 ? undefined : findShift(steps, minimumInDays);
    if (found === undefined) return days[index];
    return { ...days[index]!, at: starts[found]!, precision: 'hour', stepMs: hourMs };
  });
}

/** The run at which the level moved, among those around the moment. Without one, the moment stays and the nearest runs are named. */
function momentOf(change: Found, rough: Rough, around: readonly RunAround[]): Moment {
  const { at, stepMs: step } = rough;
  const onDefault = around.filter((run) => run.onDefaultBranch);
  const runs = isDivided(onDefault, at) ? onDefault : around;
  const found = isFoundInRuns(change) ? findRun(change, rough, runs) : undefined;
  const isExact = found !== undefined && Math.abs(found.completedAt - at) <= step;
  const first = isExact ? found : runs.find(({ completedAt }) => completedAt >= at);
  const last =
    first === undefined
      ? runs.findLast(({ completedAt }) => completedAt < at)
      : runs[runs.indexOf(first) - 1];
  return {
    at: isExact ? found.createdAt : showTime(at),
    precision: isExact ? 'run' : rough.precision,
    before: pointOf(last),
    after: pointOf(first),
    // Between runs of different branches, the forge would show other commits.
    compareUrl:
      first?.branch === last?.branch
        ? compareUrl(first?.url ?? null, change.repository, last?.headSha ?? null, first?.headSha ?? null)
        : null,
  };
}

function isDivided(runs: readonly RunAround[], at: number): boolean {
  return (
    runs.some(({ completedAt }) => completedAt < at) && runs.some(({ completedAt }) => completedAt >= at)
  );
}

/** Searches the runs of the steps before and after the moment, and at least some on each side. */
function findRun(
  change: Found,
  { at, stepMs: step }: Rough,
  runs: readonly RunAround[],
): RunAround | undefined {
  const middle = runs.findIndex(({ completedAt }) => completedAt >= at);
  if (middle < 0) return undefined;
  const near = runs.filter(
    ({ completedAt }, index) =>
      Math.abs(completedAt - at) <= step || Math.abs(index - middle) <= leastSearched,
  );
  const found = findShift(
    near.map((run) => runStepOf(change, run)),
    minimumInRuns,
  );
  return found === undefined ? undefined : near[found];
}

function pointOf(run: RunAround | undefined): Moment['after'] {
  if (run === undefined) return null;
  const { runId, runNumber, headSha, title, actor, createdAt } = run;
  return { runId, runNumber, headSha, title, actor, createdAt };
}

function byStep(sums: readonly StepSums[]): Map<string, StepSums[]> {
  return Map.groupBy(sums, ({ name, at }) => `${name} ${at}`);
}
