import type { Tx } from '#platform/database/database.ts';
import { isCheck, passes } from './check-names.ts';
import { newestRuns } from './newest-runs.ts';
import { listHeadRuns, type HeadRun } from './green-store.ts';

/**
 * How many milliseconds before its merge the checks of the last commit of each pull request had passed: all required ones, or all
 * newest runs when none is known to be required. Pull requests are missing that were not merged or whose checks had not passed.
 */
export async function readGreenToMerge(
  tx: Tx,
  integrationId: string,
  pulls: readonly { repository: string; number: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (pulls.length === 0) return new Map();
  const runs = Map.groupBy(await listHeadRuns(tx, integrationId, pulls), ({ place }) => place);
  return new Map(
    [...runs].flatMap(([place, ofPull]): [number, number][] => {
      const green = greenAt(ofPull);
      return green === null ? [] : [[place, Math.max(0, Math.round(ofPull[0]!.mergedAt - green))]];
    }),
  );
}

type Run = Omit<HeadRun, 'place'>;

/** When the last check that counts had passed, of the runs for one commit, newest first. Null when one had not. */
export function greenAt(runs: readonly Run[]): number | null {
  const counted = newestRuns(runs);
  const [{ checks, arePatterns } = { checks: null, arePatterns: false }] = counted;
  const ends =
    checks === null || checks.length === 0
      ? counted.map((run) => endOf(run, run.mergedAt))
      : checks.map((check) => lastEnd(counted, check, arePatterns));
  return ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map(Number));
}

/** Null when a job of the check had not passed, and when there is none: another program may report it. */
function lastEnd(runs: readonly Run[], check: string, arePatterns: boolean): number | null {
  const ends = runs.flatMap(({ workflowName: workflow, event, jobs, mergedAt }) =>
    (jobs ?? [])
      .filter(({ name }) => isCheck(check, arePatterns, { workflow, event, name }))
      .map((job) => endOf(job, mergedAt)),
  );
  return ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map(Number));
}

function endOf(
  { conclusion, completedAt }: Pick<Run, 'conclusion' | 'completedAt'>,
  mergedAt: number,
): number | null {
  return completedAt !== null && completedAt <= mergedAt && passes(conclusion) ? completedAt : null;
}
