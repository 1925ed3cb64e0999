import type { ChangedRun, Moment } from '#contract/metrics/changes.ts';
import { isDecided, isRed, isWithoutResult } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { compareUrl } from '#contract/base/compare-url.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import type { Found } from './compare-periods.ts';
import { findShift, type Shift } from './find-shift.ts';
import { findNamedRuns, listRunSequences, type NamedRun, type RunSequence } from './runs-of-change-store.ts';

/**
 * The moment of each change, or null if the order of its runs does not show one. Two queries for all changes: the results of the
 * runs of both periods, and the few runs to name. Minutes are a sum of days and have no moment.
 */
export async function findMoments(
  tx: Tx,
  integrationId: string,
  changes: readonly Found[],
  span: { from: number; to: number },
  onDefaultBranch: boolean | undefined,
): Promise<(Moment | null)[]> {
  const searched = changes.filter(({ kind }) => kind !== 'costlier');
  const wanted = searched.map(({ before, after, ...change }) => ({
    ...change,
    runs: before.runs + after.runs,
  }));
  const sequences = await listRunSequences(tx, integrationId, wanted, span, onDefaultBranch);
  const ranges = new Map(searched.map((change, index) => [change, rangeOf(change.kind, sequences[index]!)]));
  const runs = await findNamedRuns(
    tx,
    integrationId,
    [...ranges.values()].flatMap((range) => (range === undefined ? [] : Object.values(range))),
  );
  return changes.map((change) => {
    const range = ranges.get(change);
    return range === undefined ? null : momentOf(range, runs);
  });
}

/** The ids of the runs of a moment. */
interface Range {
  before: number;
  best: number;
  after: number;
}

function rangeOf(
  kind: Found['kind'],
  { runIds, attempts, conclusions, durationsMs }: RunSequence,
): Range | undefined {
  const values = runIds.map((_, index) => {
    const [conclusion, ms] = [conclusions[index] ?? null, durationsMs[index] ?? null];
    if (kind === 'slower') return isWithoutResult(conclusion) ? null : ms;
    if (!isDecided(conclusion)) return null;
    return Number(kind === 'failing' ? isRed(conclusion) : !isRed(conclusion) && attempts[index]! > 1);
  });
  const places = [...values.keys()].filter((index) => values[index] !== null);
  const shift: Shift | undefined = findShift(places.map((index) => values[index]!));
  if (shift === undefined) return undefined;
  const runAt = (position: number): number => runIds[places[position]!]!;
  return { before: runAt(shift.first - 1), best: runAt(shift.best), after: runAt(shift.last) };
}

function momentOf(range: Range, runs: ReadonlyMap<number, NamedRun>): Moment | null {
  const [before, best, after] = [runs.get(range.before), runs.get(range.best), runs.get(range.after)];
  if (before === undefined || best === undefined || after === undefined) return null;
  return {
    before: shown(before),
    after: shown(after),
    at: best.completedAt,
    // Between runs of different branches, the forge would show other commits.
    compareUrl:
      before.branch === after.branch
        ? compareUrl(repositoryUrl(after.url), before.headSha, after.headSha)
        : null,
  };
}

function shown({ branch: _branch, url: _url, ...run }: NamedRun): ChangedRun {
  return run;
}
