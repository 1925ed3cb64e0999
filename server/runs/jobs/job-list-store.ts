import { literals } from '#platform/database/rows/literals.ts';
import { withoutResultConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnList } from '#platform/database/rows/multi-row.ts';
import { selectRows } from '#platform/database/rows/select-rows.ts';
import { jobTable, type JobRow } from '#server/runs/objects/job.ts';

/** Conditions on `workflow_jobs j`, and the parameters that they refer to. */
export interface JobFilterSql {
  /** Conditions of the index scan in the order of completion. Their parameters come first. */
  source: string[];
  /** Conditions that filter the scanned jobs. */
  rest: string[];
  values: unknown[];
  /** Number of values that the source needs. */
  sourceValues: number;
}

/** The queue time of a job is in the rollups. The same as `queueMs` and `isMeasured` in server/runs/objects/durations.ts. */
export function hasQueueTime(job: string): string {
  return `(${job}.created_at is not null and ${job}.started_at is not null
    and (${job}.conclusion is null or ${job}.conclusion not in ${literals(withoutResultConclusions)}))`;
}

const newestFirst = 'order by j.completed_at desc, j.job_id desc';

/** Scans the `scanLimit` jobs of the source that completed last, and returns the first `limit` that match all conditions. */
export async function listJobsByCompletion(
  tx: Tx,
  { source, rest, values }: JobFilterSql,
  scanLimit: number,
  limit: number,
): Promise<JobRow[]> {
  return selectRows(tx, jobTable, {
    text: `select ${columnList(jobTable, 'j.')}
      from (select * from workflow_jobs j where ${source.join(' and ')} ${newestFirst} limit ${scanLimit}) j
      where ${rest.join(' and ') || 'true'} ${newestFirst} limit ${limit}`,
    values,
  });
}

/** The last scanned job. Undefined when no other job follows. */
export async function findLastScannedJob(
  tx: Tx,
  { source, values, sourceValues }: JobFilterSql,
  scanLimit: number,
): Promise<{ at: string; id: string } | undefined> {
  const { rows } = await tx.query<{ at: string; id: string }>({
    text: `select round(extract(epoch from j.completed_at) * 1000)::bigint as at, j.job_id as id from workflow_jobs j
           where ${source.join(' and ')} ${newestFirst} offset ${scanLimit - 1} limit 2`,
    values: values.slice(0, sourceValues),
  });
  return rows.length === 2 ? rows[0] : undefined;
}
