import type { FailingJob } from '#contract/failures/red-workflow.ts';
import type { Tx } from '#platform/database/database.ts';
import { assessmentOf } from './assess.ts';
import { listFailingJobs, type AsOf, type FailingJobRow } from './failing-job-store.ts';

/** What failed first in each of these runs, by run. One statement; the caller bounds the number of runs. */
export async function readFailingJobs(
  tx: Tx,
  integrationId: string,
  attempts: readonly { runId: number; attempt: number }[],
  asOf: AsOf,
): Promise<Map<number, FailingJob>> {
  if (attempts.length === 0) return new Map();
  const rows = await listFailingJobs(tx, integrationId, attempts, asOf);
  return new Map(rows.map((row) => [Number(row.run_id), failingJobOf(row)]));
}

function failingJobOf(row: FailingJobRow): FailingJob {
  const { job, step, jobs, error_line: errorLine, tests, failed_tests: failedTests } = row;
  return { job, step, errorLine, jobs, tests, failedTests, assessment: assessmentIn(row) };
}

function assessmentIn(row: FailingJobRow): FailingJob['assessment'] {
  if (row.failure_group_id === null) return null;
  const { infrastructure, branch, is_marked_flaky: isMarkedFlaky, reruns, passed } = row;
  return assessmentOf(
    { infrastructure, branch, onDefaultBranch: row.on_default_branch === true, isMarkedFlaky },
    {
      reruns: { reruns, passed },
      onDefault: { runs: row.default_runs, since: row.default_since },
      onBranch: { runs: row.branch_runs, since: row.branch_since },
      failedBefore: row.failed_before,
      others: { branches: row.other_branches, since: row.other_since },
    },
  );
}
