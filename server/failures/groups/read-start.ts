import type { FailureStart, RunPoint } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { compareUrl } from '#server/runs/compare-url.ts';
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
    firstRed: pointOf(row),
    lastGreen: green === null ? null : pointOf({ ...green, created_at: new Date(green.created_at) }),
    compareUrl: compareUrl(row.url, repository, green?.head_sha ?? null, row.head_sha),
  };
}

function pointOf(row: Omit<StartRow, 'branch' | 'green' | 'run_id'> & { run_id: string | number }): RunPoint {
  return {
    runId: Number(row.run_id),
    runNumber: row.run_number === null ? null : Number(row.run_number),
    headSha: row.head_sha,
    title: row.title,
    actor: row.actor,
    createdAt: row.created_at.toISOString(),
  };
}
