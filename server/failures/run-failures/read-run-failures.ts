import { isFailed, isRed } from '#contract/runs/conclusions.ts';
import { type JobFailure, type RunFailures } from '#contract/failures/failures.ts';
import type { WorkflowJob } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { readRun } from '#server/runs/read-run.ts';
import { blameOf, readRedStreaks } from '../blame/blame.ts';
import { openExcerpt } from '../storing/excerpt-sealing.ts';
import { explainJobs, type ExplainedJob } from './explain-jobs.ts';

/** A matrix has at most 256 jobs. More than these help nobody at once. */
const maxFailures = 100;
/** Bytes of sealed excerpts in one answer. The others are shown without excerpt. */
const maxExcerptBytes = 512 * 1024;

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
    .filter((job) => job.attempt === attempt && isFailed(job.conclusion))
    .slice(0, maxFailures);
  const explained = await explainJobs(tx, integrationId, failed, { withExcerpts: true });
  const isCurrent = attempt === detail.run.attempt && isRed(detail.run.conclusion);
  const streak = isCurrent ? (await readRedStreaks(tx, integrationId, [runId], 'run')).get(runId) : undefined;
  return {
    attempt,
    items: explained.map(openerOf(sealer)),
    blame: streak === undefined ? null : blameOf(streak),
  };
}

function openerOf(sealer: Sealer): (explained: ExplainedJob<WorkflowJob>) => JobFailure {
  let left = maxExcerptBytes;
  return ({ job, failure, sealedExcerpt }) => {
    left -= sealedExcerpt?.length ?? 0;
    const { jobId, attempt, name, url } = job;
    return {
      jobId,
      attempt,
      job: name,
      url,
      ...failure,
      ...openExcerpt(sealer, job, left < 0 ? null : sealedExcerpt),
    };
  };
}
