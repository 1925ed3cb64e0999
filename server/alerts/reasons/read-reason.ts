import type { NotifiedReason } from '#contract/alerts/incident-payloads.ts';
import type { Failure } from '#contract/alerts/incidents.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Blame } from '#contract/failures/blame.ts';
import { blameOf, readRedStreaks } from '#server/failures/blame/blame.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { assess } from '#server/failures/run-failures/assess.ts';
import { findReason, isReasonPending } from './reason-store.ts';

/** A notification is sent without its reason when the database takes longer. */
const timeoutMs = 5_000;

/** Whether a notification waits: its reason is being read, or what it says about the run is being decided, and not for too long. */
export function awaitsReason(
  tx: Tx,
  integrationId: string,
  failure: Pick<Failure, 'runId' | 'attempt' | 'jobId'>,
  policy: Pick<AlertPolicy, 'awaitReasonMs' | 'awaitConclusionMs'>,
): Promise<boolean> {
  return isReasonPending(tx, integrationId, failure, policy);
}

export interface KnownCause {
  reason: NotifiedReason | null;
  blame: Blame | null;
}

/** Both are null when they are not known or cannot be read: a notification never fails for them. */
export async function readReason(
  { db, log }: { db: Database; log: Log },
  integrationId: string,
  failure: Pick<Failure, 'runId' | 'attempt' | 'jobId'>,
  { withAssessment }: { withAssessment: boolean },
): Promise<KnownCause> {
  try {
    return await db.withScope(
      { integrationId },
      async (tx) => ({
        reason: await reasonOf(tx, integrationId, failure, withAssessment),
        blame: withAssessment ? await blameFor(tx, integrationId, failure.runId) : null,
      }),
      { timeoutMs },
    );
  } catch (error) {
    log.warn({ err: error, integrationId, runId: failure.runId }, 'failure reason not read');
    return { reason: null, blame: null };
  }
}

async function blameFor(tx: Tx, integrationId: string, runId: number): Promise<Blame | null> {
  const streak = (await readRedStreaks(tx, integrationId, [runId])).get(runId);
  return streak === undefined ? null : blameOf(streak);
}

async function reasonOf(
  tx: Tx,
  integrationId: string,
  failure: Pick<Failure, 'runId' | 'attempt' | 'jobId'>,
  withAssessment: boolean,
): Promise<NotifiedReason | null> {
  const row = await findReason(tx, integrationId, failure);
  if (row === undefined) return null;
  const { failure_group_id: groupId, job, step, error_line: errorLine } = row;
  const facts = { integrationId, groupId, runId: failure.runId, ...row };
  const { on_default_branch: onDefaultBranch, is_marked_flaky: isMarkedFlaky } = row;
  const failedAt = row.failed_at.toISOString();
  const assessment = withAssessment
    ? await assess(tx, { ...facts, failedAt, onDefaultBranch, isMarkedFlaky })
    : null;
  return { jobId: Number(row.job_id), job, step, errorLine, groupId, assessment };
}
