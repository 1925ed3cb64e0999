import type { GroupStatus } from '#contract/failures/failures.ts';
import type { FailureReason } from '#contract/failures/failure-reason.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { PendingFailure } from '../storing/pending-store.ts';

export interface ReasonRow {
  job_id: string;
  failure_group_id: string;
  on_default_branch: boolean;
  branch: string | null;
  step: string | null;
  step_number: number | null;
  error_line: string;
  infrastructure: FailureReason['infrastructure'];
  without_log: 'no_connection' | 'unreadable' | null;
  sealed_excerpt: Buffer | null;
  failed_at: Date;
  workflow: string | null;
  group_status: GroupStatus | null;
}

const columns = `f.job_id, f.failure_group_id, f.on_default_branch, f.branch, f.step, f.step_number, f.error_line, f.infrastructure,
  f.without_log, f.failed_at, g.workflow,
  case when g.status = 'ignored' and g.ignored_until < now() then 'open' else g.status end as group_status`;

/** The reasons of jobs. Without `withExcerpts`, `sealed_excerpt` is null. */
export function listReasons(
  tx: Tx,
  integrationId: string,
  jobs: readonly PendingFailure[],
  withExcerpts: boolean,
): Promise<ReasonRow[]> {
  return tx.rows<ReasonRow>({
    text: `select ${columns}, case when $5 then f.sealed_excerpt end as sealed_excerpt
           from unnest($2::bigint[], $3::integer[], $4::bigint[]) k (run_id, attempt, job_id)
           cross join lateral (
             select * from failure_reasons f where f.integration_id = $1 and f.run_id = k.run_id
               and f.attempt = k.attempt and f.job_id = k.job_id limit 1) f
           left join failure_groups g on g.integration_id = $1 and g.failure_group_id = f.failure_group_id`,
    values: [integrationId, ...columnsOf(jobs, 'runId', 'attempt', 'jobId'), withExcerpts],
  });
}
