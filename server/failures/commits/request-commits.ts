import type { Tx } from '#platform/database/database.ts';
import { requestReading } from '#server/forge-tasks/request-tasks.ts';
import { listStreakStarts, type StreakStart } from '../blame/streak-start-store.ts';
import { insertRanges, type CommitRange } from './commit-range-store.ts';

const isSha = /^[0-9a-f]{40,64}$/;

/** What lies between the last success and the first failure. Undefined when one of both commits is not known, or both are one. */
export function rangeOf({ lastGreen, repository, firstSha }: StreakStart): CommitRange | undefined {
  const baseSha = lastGreen?.sha;
  if (typeof baseSha !== 'string' || firstSha === null || baseSha === firstSha) return undefined;
  return isSha.test(baseSha) && isSha.test(firstSha) ? { repository, baseSha, headSha: firstSha } : undefined;
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
  await requestReading(tx, integrationId, 'forge-commits', await insertRanges(tx, integrationId, ranges));
}

/** As soon as a run is known to have failed, so that its notifications say what came with it. */
export async function requestCommitsOf(
  tx: Tx,
  integrationId: string,
  runIds: readonly number[],
): Promise<void> {
  if (runIds.length === 0) return;
  await requestCommits(tx, integrationId, await listStreakStarts(tx, integrationId, runIds));
}
