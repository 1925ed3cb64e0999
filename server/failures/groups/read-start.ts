import type { FailureStart } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { blameOf, readRedStreaks, type RedStreak } from '../blame/blame.ts';
import { compareUrl } from '#contract/base/compare-url.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import { runPoint } from '#server/runs/run-point.ts';
import type { GroupRow } from './group-store.ts';
import { findAffected, findStart, type StartRow } from './streak-store.ts';

/** Where the failures of a group began: on the default branch if it is affected, else on the branch of the newest failure. */
export async function readStart(
  tx: Tx,
  integrationId: string,
  { failure_group_id: groupId, repository, workflow, job }: GroupRow,
): Promise<FailureStart | null> {
  const affected = await findAffected(tx, integrationId, groupId);
  if (affected === undefined || (!affected.on_default && affected.newest_branch === null)) return null;
  const branch = affected.on_default ? null : affected.newest_branch;
  const where = { integrationId, groupId, repository, workflow, job, branch, failedAt: 'infinity' };
  const row = await findStart(tx, where);
  if (row === undefined) return null;
  const runId = Number(row.run_id);
  return startOf(row, (await readRedStreaks(tx, integrationId, [runId])).get(runId));
}

function startOf(row: StartRow, streak: RedStreak | undefined): FailureStart {
  const { green } = row;
  const blame = blameAt(row, streak);
  return {
    branch: row.branch,
    firstRed: { ...runPoint(row), actor: blame.firstBad?.actor ?? null },
    lastGreen: green === null ? null : { ...runPoint(green), actor: null },
    blame,
    compareUrl: compareUrl(repositoryUrl(row.url), green?.head_sha ?? null, row.head_sha),
  };
}

/** A failure that began while the workflow was red for another reason is nobody's for certain. */
function blameAt({ run_id: runId, url }: StartRow, streak: RedStreak | undefined): FailureStart['blame'] {
  if (streak === undefined || streak.firstRunId !== Number(runId))
    return {
      firstBad: null,
      candidates: [],
      noBlame: 'no_success_before',
      lastGreen: null,
      repositoryUrl: repositoryUrl(url),
    };
  return blameOf(streak);
}
