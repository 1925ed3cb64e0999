import type { Assessment } from '#contract/failures/failures.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { assess } from './assess.ts';
import type { ReasonRow } from './run-reason-store.ts';

/** Different failures with an assessment in one answer: each takes some index reads. */
const maxAssessed = 20;

interface FailedJob {
  integrationId: string;
  runId: number;
  repository: string;
  name: string;
}

/** The assessment of each group. Jobs of a matrix share their group and its assessment. */
export async function assessFailures(
  tx: Tx,
  failures: readonly { job: FailedJob; reason: Omit<ReasonRow, 'sealed_excerpt'> }[],
): Promise<Map<string, Assessment>> {
  const groups = new Map<string, Promise<Assessment>>();
  for (const { job, reason } of failures) {
    if (groups.has(reason.failure_group_id) || groups.size >= maxAssessed) continue;
    const { failure_group_id: groupId, workflow, branch, infrastructure } = reason;
    const assessment = sentAhead(
      assess(tx, {
        integrationId: job.integrationId,
        groupId,
        repository: job.repository,
        workflow,
        job: job.name,
        branch,
        runId: job.runId,
        failedAt: reason.failed_at.toISOString(),
        onDefaultBranch: reason.on_default_branch,
        infrastructure,
        isMarkedFlaky: reason.group_status === 'flaky',
      }),
    );
    groups.set(groupId, assessment);
  }
  const all = await Promise.all([...groups].map(async ([id, assessment]) => [id, await assessment] as const));
  return new Map(all);
}
