import { maxOccurrences, type FailureGroupDetail, type Occurrence } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { openExcerpt, type SealedPart } from '#server/failures/storing/excerpt-sealing.ts';
import { findGroup } from './group-store.ts';
import { findNewestExcerpt, listOccurrences, type OccurrenceRow } from './occurrence-store.ts';
import { groupOf } from './read-groups.ts';
import { readStart } from './read-start.ts';

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
  return {
    group: groupOf(row),
    start: await readStart(tx, integrationId, row),
    ...part,
    occurrences: occurrences.map(occurrenceOf),
  };
}

async function readNewestExcerpt(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  groupId: string,
): Promise<SealedPart> {
  const row = await findNewestExcerpt(tx, integrationId, groupId, maxOccurrences);
  if (row === undefined) return { excerpts: [], missing: null };
  const key = {
    integrationId,
    runId: Number(row.run_id),
    attempt: row.attempt,
    jobId: Number(row.job_id),
  };
  return openExcerpt(sealer, key, row.sealed_excerpt);
}

function occurrenceOf(row: OccurrenceRow): Occurrence {
  return {
    runId: Number(row.run_id),
    attempt: row.attempt,
    jobId: Number(row.job_id),
    job: row.job,
    branch: row.branch,
    runNumber: row.run_number === null ? null : Number(row.run_number),
    title: row.title,
    actor: row.actor,
    failedAt: row.failed_at.toISOString(),
  };
}
