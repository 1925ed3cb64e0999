import { failedConclusions, type CheckFailure } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { jobObject, type JobRow } from '#server/runs/objects/job.ts';
import { listPendingJobsOf } from '../storing/pending-store.ts';
import { reasonFromSteps } from '../storing/reason-from-steps.ts';
import { assessFailures } from './assess-failures.ts';
import { listReasonsOf } from './run-reason-store.ts';

/** Failed jobs with a reason in one answer. */
const maxFailures = 300;

/** Why the failed ones of these jobs failed, by job. Logs are left out. */
export async function readCheckFailures(
  tx: Tx,
  integrationId: string,
  jobs: readonly JobRow[],
): Promise<Map<number, CheckFailure>> {
  const failed = jobs
    .filter(({ conclusion }) => failedConclusions.includes(conclusion))
    .slice(0, maxFailures);
  if (failed.length === 0) return new Map();
  const [reasons, pending] = await Promise.all([
    listReasonsOf(tx, integrationId, failed),
    listPendingJobsOf(tx, integrationId, failed),
  ]);
  const byJob = new Map(reasons.map((reason) => [Number(reason.job_id), reason]));
  const known = failed.flatMap((job) => {
    const reason = byJob.get(job.jobId);
    return reason === undefined ? [] : [{ job, reason }];
  });
  const assessments = await assessFailures(tx, known);
  return new Map(
    failed.map((job): [number, CheckFailure] => {
      const reason = byJob.get(job.jobId);
      if (reason === undefined) return [job.jobId, withoutReason(job, pending.has(job.jobId))];
      const { step, step_number: number, error_line: errorLine, failure_group_id: groupId } = reason;
      return [
        job.jobId,
        {
          step: step === null || number === null ? null : { number, name: step },
          errorLine,
          log: reason.without_log ?? 'read',
          groupId: reason.group_status === null ? null : groupId,
          groupStatus: reason.group_status,
          assessment: assessments.get(groupId) ?? null,
        },
      ];
    }),
  );
}

/** The job failed before reasons were stored, or its reason is not stored yet. */
function withoutReason(job: JobRow, isPending: boolean): CheckFailure {
  const { step, errorLine } = reasonFromSteps(jobObject(job));
  const log = isPending ? 'reading' : 'no_connection';
  return { step, errorLine, log, groupId: null, groupStatus: null, assessment: null };
}
