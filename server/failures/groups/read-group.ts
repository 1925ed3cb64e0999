import {
  maxOccurrences,
  type Assessment,
  type FailureGroup,
  type FailureGroupDetail,
  type FailureStart,
} from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { openExcerpt, type SealedPart } from '#server/failures/storing/excerpt-sealing.ts';
import { compareUrl } from '#contract/base/compare-url.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import { runPoint } from '#server/runs/run-point.ts';
import { isFlaky } from '../run-failures/assess.ts';
import { explainJobs } from '../run-failures/explain-jobs.ts';
import { blameOf, readRedStreaks, type RedStreak } from '../blame/blame.ts';
import { findGroup, type GroupRow } from './group-store.ts';
import {
  findNewestExcerpt,
  listOccurrences,
  listTestsOfJobs,
  type OccurrenceRow,
} from './occurrence-store.ts';
import { groupOf } from './read-groups.ts';
import { countReruns, findAffected, findStart, type StartRow } from './streak-store.ts';

/** One group with its newest failures. @throws AppError `not_found` */
export async function readGroup(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  groupId: string,
): Promise<FailureGroupDetail> {
  const [row, occurrences, part] = await Promise.all([
    findGroup(tx, integrationId, groupId),
    listOccurrences(tx, integrationId, groupId, maxOccurrences),
    readNewestExcerpt(tx, sealer, integrationId, groupId),
  ]);
  if (row === undefined) throw new AppError('not_found', { detail: 'Failure group not found.' });
  const newest = { groupId, failedAt: 'infinity', runId: 0 };
  const odds = await countReruns(tx, integrationId, newest);
  const group = groupOf(row);
  const isNobodys = group.status === 'flaky' || isFlaky(odds);
  return {
    group,
    assessment: await assessNewest(tx, integrationId, group, occurrences[0]),
    start: isNobodys ? null : await readStart(tx, integrationId, row),
    reruns: odds.reruns,
    passedReruns: odds.passed,
    ...part,
    tests: await listTestsOfJobs(tx, integrationId, occurrences),
    occurrences: occurrences.map((each) => ({ ...each, failedAt: each.failedAt.toISOString() })),
  };
}

async function assessNewest(
  tx: Tx,
  integrationId: string,
  { repository }: FailureGroup,
  newest: OccurrenceRow | undefined,
): Promise<Assessment | null> {
  if (newest === undefined) return null;
  const job = { ...newest, integrationId, repository, name: newest.job, conclusion: 'failure', steps: [] };
  const [explained] = await explainJobs(tx, integrationId, [job], { withExcerpts: false });
  return explained?.failure.assessment ?? null;
}

async function readNewestExcerpt(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  groupId: string,
): Promise<SealedPart> {
  const row = await findNewestExcerpt(tx, integrationId, groupId, maxOccurrences);
  if (row === undefined) return { excerpts: [], missing: null };
  const { sealedExcerpt, ...job } = row;
  return openExcerpt(sealer, { integrationId, ...job }, sealedExcerpt);
}

/** Where the failures of a group began: on the default branch if it is affected, else on the branch of the newest failure. */
async function readStart(
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
