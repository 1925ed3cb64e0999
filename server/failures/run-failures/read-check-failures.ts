import { isFailed } from '#contract/runs/conclusions.ts';
import type { CheckFailure } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { explainJobs, type FailedJob } from './explain-jobs.ts';

/** Failed jobs with a reason in one answer. */
const maxFailures = 300;

/** Why the failed ones of these jobs failed, by job. Logs are left out. */
export async function readCheckFailures(
  tx: Tx,
  integrationId: string,
  jobs: readonly FailedJob[],
): Promise<Map<number, CheckFailure>> {
  const failed = jobs.filter(({ conclusion }) => isFailed(conclusion)).slice(0, maxFailures);
  const explained = await explainJobs(tx, integrationId, failed, { withExcerpts: false });
  return new Map(explained.map(({ job, failure }) => [job.jobId, failure]));
}
