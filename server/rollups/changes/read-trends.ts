import type { ChangeKind } from '#contract/metrics/changes.ts';
import type { Tx } from '#platform/database/database.ts';
import { coverFinalized, coverOpen, type RollupState } from '../dashboards/cover-span.ts';
import { addCounts, quantileMs } from '../histograms.ts';
import { stepFinder, stepsOf, usesUtcDays, type TimeSpan } from '../time-span.ts';
import type { Compared } from './compare-periods.ts';
import { keyOf } from './compared-items.ts';
import type { RecoveredJobs } from './recovered-jobs-store.ts';
import { listStepSums, type StepSums } from './trend-store.ts';

/** What the numbers are read from. */
export interface TrendSource {
  integrationId: string;
  /** Both periods. */
  span: TimeSpan;
  state: RollupState;
  onDefaultBranch: boolean | undefined;
  recovered: readonly RecoveredJobs[];
}

type Subject = Pick<Compared, 'repository' | 'workflow' | 'job'> & { kind: ChangeKind };

/** The number of each subject that its kind is about, for each hour or day of the span; null when nothing completed in it. */
export async function readTrends(
  tx: Tx,
  subjects: readonly Subject[],
  { integrationId, span, state, onDefaultBranch, recovered }: TrendSource,
): Promise<(number | null)[][]> {
  const cover = coverFinalized(span, state, usesUtcDays(span));
  cover.hours.push(...coverOpen(span, state).hours);
  const names = subjects.map(({ kind, job, ...name }) => ({
    ...name,
    job,
    // Minutes are those of jobs.
    kind: job === null && kind !== 'costlier' ? ('run' as const) : ('job' as const),
  }));
  const sums = await listStepSums(tx, integrationId, names, cover, onDefaultBranch);
  const stepOf = stepFinder(span);
  const sumsOf = Map.groupBy(sums, ({ name, at }) => `${name} ${stepOf(at)}`);
  const flips = new Map<string, number>();
  for (const each of recovered) {
    const key = `${stepOf(each.at)} ${keyOf(each)}`;
    flips.set(key, (flips.get(key) ?? 0) + each.recovered);
  }
  const starts = stepsOf(span);
  return subjects.map((subject, index) =>
    starts.map((at) =>
      valueOf(subject, sumsOf.get(`${index} ${at}`) ?? [], flips.get(`${at} ${keyOf(subject)}`) ?? 0),
    ),
  );
}

function valueOf({ kind, job }: Subject, parts: readonly StepSums[], flips: number): number | null {
  const sum = (name: 'decided' | 'failed' | 'recovered' | 'minutes') =>
    parts.reduce((total, part) => total + part[name], 0);
  const shareOf = (hits: number) => (sum('decided') === 0 ? null : Math.min(1, hits / sum('decided')));
  switch (kind) {
    case 'failing':
      return shareOf(sum('failed'));
    case 'flakier':
      return shareOf(job === null ? sum('recovered') : flips);
    case 'slower':
      return quantileMs(addCounts(parts.map(({ durations }) => durations)), 0.5);
    case 'costlier':
      return sum('minutes');
  }
}
