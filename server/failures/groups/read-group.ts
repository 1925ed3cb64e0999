import {
  maxOccurrences,
  type Assessment,
  type FailureGroup,
  type FailureGroupDetail,
} from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { openExcerpt, type SealedPart } from '#server/failures/storing/excerpt-sealing.ts';
import { findGroup } from './group-store.ts';
import {
  findNewestExcerpt,
  listOccurrences,
  listTestsOfJobs,
  type OccurrenceRow,
} from './occurrence-store.ts';
import { groupOf } from './read-groups.ts';
import { isFlaky } from '../run-failures/assess.ts';
import { explainJobs } from '../run-failures/explain-jobs.ts';
import { readStart } from './read-start.ts';
import { countReruns } from './streak-store.ts';

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
