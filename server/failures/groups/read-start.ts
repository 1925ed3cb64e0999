import type { FailureStart } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { compareUrl } from '#server/runs/compare-url.ts';
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
  const row = await findStart(tx, { integrationId, groupId, repository, workflow, job, branch });
  return row === undefined ? null : startOf(row, repository);
}

function startOf(row: StartRow, repository: string): FailureStart {
  const { green } = row;
  return {
    branch: row.branch,
    firstRed: runPoint(row),
    lastGreen: green === null ? null : runPoint(green),
    compareUrl: compareUrl(row.url, repository, green?.head_sha ?? null, row.head_sha),
  };
}
