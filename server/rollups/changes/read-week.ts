import type { Change } from '#contract/metrics/changes.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import { showTime } from '#platform/runtime/times.ts';
import { total } from '../dashboards/aggregate-store.ts';
import type { DashboardCache } from '../dashboards/dashboard-cache.ts';
import { listFlakyJobs } from '../dashboards/metrics-store.ts';
import { findRollupState } from '../dashboards/rollup-state-store.ts';
import { floor, previousSpan, type TimeSpan } from '../time-span.ts';
import { listRecoveredJobs } from './recovered-jobs-store.ts';
import { readWhatChanged } from './read-what-changed.ts';

const week = 7;
/** A job that passed on a re-run in these days before is not new. */
const knownDays = 14;
const mostFlakyJobs = 1000;

export interface WeekNumbers {
  runs: number;
  succeeded: number;
  failed: number;
  /** Runs that succeeded in a later attempt than the first. */
  recovered: number;
}

export interface FlakyJobName {
  repository: string;
  workflow: string;
  job: string;
}

/** The seven days until a time. */
export interface Week {
  from: number;
  /** Runs of default branches. */
  numbers: WeekNumbers;
  numbersBefore: WeekNumbers;
  /** Of whole days of the time zone. */
  changes: Change[];
  newFlakyJobs: FlakyJobName[];
  /** Time of failed jobs that passed on a re-run. */
  lostMs: number;
}

/** What happened in a week in the wanted repositories. */
export async function readWeek(
  tx: Tx,
  integrationId: string,
  { to, timeZone }: { to: number; timeZone: string },
  isWanted: (repository: string) => boolean,
  cache: DashboardCache,
): Promise<Week> {
  const from = to - week * dayMs;
  const end = floor(to - 1, hourMs) + hourMs;
  const span: TimeSpan = { from: floor(from, hourMs), to: end, granularity: 'hour', timeZone };
  const before = previousSpan(span);
  const sum = cache.sumsIn(tx, await findRollupState(tx, integrationId, { from: before.from, to: end }));
  const numbersOf = async (of: TimeSpan): Promise<WeekNumbers> => {
    const runs = await sum({ integrationId, kind: 'run', onDefaultBranch: true }, of, ['repository']);
    const sums = total(runs.filter(({ repository }) => isWanted(repository ?? '')));
    const { count = 0, succeeded = 0, failed = 0, recovered = 0 } = sums ?? {};
    return { runs: count, succeeded, failed, recovered };
  };
  const local = Temporal.Instant.fromEpochMilliseconds(to).toZonedDateTimeISO(timeZone);
  const daysBefore = (days: number): string =>
    showTime(local.subtract({ days }).startOfDay().epochMilliseconds);
  const query = { from: daysBefore(week), to: daysBefore(1), branch: 'default' as const, timeZone };
  const changes = await readWhatChanged(tx, integrationId, query, to, cache);
  const flakyJobs = await listFlakyJobs(tx, integrationId, { from, to }, {}, mostFlakyJobs);
  return {
    from,
    numbers: await numbersOf(span),
    numbersBefore: await numbersOf(before),
    changes: changes.items.filter(({ repository }) => isWanted(repository)),
    newFlakyJobs: await findNewFlakyJobs(tx, integrationId, { from, to }, isWanted),
    lostMs: flakyJobs.reduce((all, { repository, lostMs }) => all + (isWanted(repository) ? lostMs : 0), 0),
  };
}

async function findNewFlakyJobs(
  tx: Tx,
  integrationId: string,
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
  isWanted: (repository: string) => boolean,
): Promise<FlakyJobName[]> {
  const recovered = await listRecoveredJobs(tx, integrationId, { from: from - knownDays * dayMs, to }, {});
  const nameOf = ({ repository, workflow, job }: FlakyJobName): string =>
    JSON.stringify([repository, workflow, job]);
  const all = (recovered ?? []).filter(({ repository }) => isWanted(repository));
  const known = new Set(all.filter(({ at }) => at < from).map(nameOf));
  const found = new Map(all.filter((job) => !known.has(nameOf(job))).map((job) => [nameOf(job), job]));
  return [...found.values()].map(({ repository, workflow, job }) => ({ repository, workflow, job }));
}
