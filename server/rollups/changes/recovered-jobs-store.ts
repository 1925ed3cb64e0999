import { earlierResult } from '#server/runs/jobs/stored-earlier-result.ts';
import type { Tx } from '#platform/database/database.ts';
import type { TimeSpan } from '../time-span.ts';

/** Bounds the cost: an integration with more re-runs in both periods is not compared. */
const maxReruns = 5000;

/** How many re-runs of a job succeeded after a failure, by the hour. */
export interface RecoveredJobs {
  repository: string;
  workflow: string;
  job: string;
  /** Start of the hour. */
  at: number;
  recovered: number;
}

/** The jobs that the list of jobs shows as `flip` with the conclusion `success`. Undefined when there are too many re-runs. */
export async function listRecoveredJobs(
  tx: Tx,
  integrationId: string,
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
  filter: {
    repository?: string | undefined;
    workflow?: string | undefined;
    onDefaultBranch?: boolean | undefined;
  },
): Promise<RecoveredJobs[] | undefined> {
  const { rows } = await tx.query<RecoveredJobs & { scanned: number }>({
    name: 'list-recovered-jobs',
    text: `select j.repository, coalesce(j.workflow_name, '') as workflow, j.name as job, j.scanned,
             (floor(extract(epoch from j.completed_at) / 3600) * 3600000)::float8 as at, count(*)::int as recovered
           from (
             select *, count(*) over ()::int as scanned from (
               select * from workflow_jobs j
               where j.integration_id = $1 and j.attempt > 1 and j.completed_at >= $2 and j.completed_at < $3
               order by j.completed_at desc, j.job_id desc limit ${maxReruns}) j) j
           where j.conclusion = 'success'
             and ($4::text is null or j.repository = $4) and ($5::text is null or coalesce(j.workflow_name, '') = $5)
             and ($6::boolean is null or j.on_default_branch = $6)
             and not (select b.has_passed from (${earlierResult('j')}) b)
           group by 1, 2, 3, 4, 5`,
    values: [
      integrationId,
      new Date(from).toISOString(),
      new Date(to).toISOString(),
      filter.repository,
      filter.workflow,
      filter.onDefaultBranch,
    ],
  });
  return (rows[0]?.scanned ?? 0) >= maxReruns ? undefined : rows;
}
