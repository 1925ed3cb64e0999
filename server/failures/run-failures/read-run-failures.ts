import {
  failedConclusions,
  type Assessment,
  type JobFailure,
  type RunFailures,
} from '#contract/failures/failures.ts';
import type { WorkflowJob } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { readRun } from '#server/runs/read-run.ts';
import { openExcerpt, type SealedPart } from '../storing/excerpt-sealing.ts';
import { listPendingJobs } from '../storing/pending-store.ts';
import { reasonFromSteps } from '../storing/reason-from-steps.ts';
import { assessFailures } from './assess-failures.ts';
import { listReasons, type ReasonRow } from './run-reason-store.ts';

/** A matrix has at most 256 jobs. More than these help nobody at once. */
const maxFailures = 100;
/** Bytes of sealed excerpts in one answer. The others are shown without excerpt. */
const maxExcerptBytes = 512 * 1024;

const noExcerpt: SealedPart = { excerpts: [], missing: null };

/** The failed jobs of an attempt, each with its reason. @throws AppError `not_found` */
export async function readRunFailures(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  runId: number,
  wanted: number | undefined,
): Promise<RunFailures> {
  const detail = await readRun(tx, integrationId, runId);
  if (detail === undefined) throw new AppError('not_found', { detail: 'Run not found.' });
  const attempt = wanted ?? detail.run.attempt;
  const failed = detail.jobs
    .filter((job) => job.attempt === attempt && failedConclusions.includes(job.conclusion))
    .slice(0, maxFailures);
  if (failed.length === 0) return { attempt, items: [] };
  const [reasons, pending] = await Promise.all([
    listReasons(tx, integrationId, { runId, attempt, most: maxFailures }),
    listPendingJobs(tx, integrationId, runId, attempt),
  ]);
  const byJob = new Map(reasons.map((reason) => [Number(reason.job_id), reason]));
  const assessments = await assessFailures(
    tx,
    failed.flatMap((job) => {
      const reason = byJob.get(job.jobId);
      return reason === undefined ? [] : [{ job, reason }];
    }),
  );
  const open = excerptReader(sealer);
  const items = failed.map((job): JobFailure => {
    const reason = byJob.get(job.jobId);
    if (reason === undefined) return withoutReason(job, pending.has(job.jobId));
    return failureOf(job, reason, open(job, reason), assessments.get(reason.failure_group_id) ?? null);
  });
  return { attempt, items };
}

function excerptReader(sealer: Sealer): (job: WorkflowJob, reason: ReasonRow) => SealedPart {
  let left = maxExcerptBytes;
  return (job, { sealed_excerpt: sealed }) => {
    left -= sealed?.length ?? 0;
    return left < 0 ? noExcerpt : openExcerpt(sealer, job, sealed);
  };
}

function failureOf(
  { jobId, attempt, name, url }: WorkflowJob,
  reason: ReasonRow,
  part: SealedPart,
  assessment: Assessment | null,
): JobFailure {
  const { step, step_number: number } = reason;
  return {
    jobId,
    attempt,
    job: name,
    url,
    step: step === null || number === null ? null : { number, name: step },
    errorLine: reason.error_line,
    log: reason.without_log ?? 'read',
    ...part,
    groupId: reason.group_status === null ? null : reason.failure_group_id,
    groupStatus: reason.group_status,
    assessment,
  };
}

/** The job failed before reasons were stored, or its reason is not stored yet. */
function withoutReason(job: WorkflowJob, isPending: boolean): JobFailure {
  const { jobId, attempt, name, url } = job;
  const { step, errorLine } = reasonFromSteps(job);
  const log = isPending ? 'reading' : 'no_connection';
  return {
    ...noExcerpt,
    jobId,
    attempt,
    job: name,
    url,
    step,
    errorLine,
    log,
    groupId: null,
    groupStatus: null,
    assessment: null,
  };
}
