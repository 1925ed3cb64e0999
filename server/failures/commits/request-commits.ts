import type { Tx } from '#platform/database/database.ts';
import { requestReading } from '#server/forge-tasks/request-tasks.ts';
import { listStreakStarts, type StreakStart } from '../blame/streak-start-store.ts';
import { findRanges, insertRanges, listConnected, type CommitRange } from './commit-range-store.ts';

export { findRanges, listConnected, type CommitRange };

/** A whole SHA, by which the forge finds a commit. */
export const isFullSha = (sha: string): boolean => /^[0-9a-f]{40,64}$/.test(sha);

/** What lies between the last success and the first failure. Undefined when one of both commits is not known, or both are one. */
export function rangeOf({ lastGreen, repository, firstSha }: StreakStart): CommitRange | undefined {
  const baseSha = lastGreen?.sha;
  if (typeof baseSha !== 'string' || firstSha === null || baseSha === firstSha) return undefined;
  return isFullSha(baseSha) && isFullSha(firstSha) ? { repository, baseSha, headSha: firstSha } : undefined;
}

/** Requests the commits before the failures of red runs. False when no connection to the forge sees their repositories. */
export async function requestCommits(
  tx: Tx,
  integrationId: string,
  starts: readonly StreakStart[],
): Promise<void> {
  const ranges = starts.flatMap((start) => {
    const range = rangeOf(start);
    return range === undefined ? [] : [{ ...range, runId: start.firstRunId }];
  });
  await requestRanges(tx, integrationId, ranges);
}

/** Requests commits that were not asked for yet, or that the forge did not return an hour ago. `runId` is that of a failure. */
export async function requestRanges(
  tx: Tx,
  integrationId: string,
  ranges: readonly (CommitRange & { runId: number | null })[],
): Promise<void> {
  await requestReading(tx, integrationId, 'forge-commits', await insertRanges(tx, integrationId, ranges));
}

/** As soon as a run is known to have failed, so that its notifications say what came with it. */
export async function requestCommitsOf(
  tx: Tx,
  integrationId: string,
  runIds: readonly number[],
): Promise<void> {
  if (runIds.length === 0) return;
  await requestCommits(tx, integrationId, await listStreakStarts(tx, integrationId, runIds, 'now'));
}
