import type { Tx } from '#platform/database/database.ts';
import type { RequiredNames } from './check-names.ts';

/** A run for the last commit of a merged pull request that began before the merge. Milliseconds since the epoch. */
export interface HeadRun extends RequiredNames {
  /** Index of the pull request in the request. */
  place: number;
  mergedAt: number;
  workflowPath: string | null;
  workflowName: string | null;
  event: string | null;
  conclusion: string | null;
  completedAt: number | null;
  /** What ended before the merge, the newest attempt of each job. Null when no check is known to be required. */
  jobs: { name: string; conclusion: string | null; completedAt: number }[] | null;
}

/** Of one commit. */
const maxRuns = 100;
const maxJobs = 300;

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** Newest run first. */
export function listHeadRuns(
  tx: Tx,
  integrationId: string,
  pulls: readonly { repository: string; number: number }[],
): Promise<HeadRun[]> {
  return tx.rows<HeadRun>({
    name: 'list-head-runs',
    text: `select k.place::int - 1 as place, ${ms('p.merged_at')} as "mergedAt", w.workflow_path as "workflowPath", w.workflow_name as "workflowName", w.event,
             w.conclusion, ${ms('w.completed_at')} as "completedAt", c.checks, coalesce(c.are_patterns, false) as "arePatterns",
             case when cardinality(c.checks) > 0 then (
               select coalesce(json_agg(json_build_object('name', j.name, 'conclusion', j.conclusion,
                 'completedAt', ${ms('j.completed_at')})), '[]')
               from (select distinct on (j.name) j.* from workflow_jobs j
                     where j.integration_id = $1 and j.run_id = w.run_id and j.completed_at <= p.merged_at
                     order by j.name, j.attempt desc, j.completed_at desc limit ${maxJobs}) j) end as jobs
           from unnest($2::text[], $3::bigint[]) with ordinality k (repository, number, place)
           join pull_requests p on p.integration_id = $1 and p.repository = k.repository and p.number = k.number
             and p.merged_at is not null
           left join required_checks c on c.integration_id = $1 and c.repository = p.repository and c.branch = p.base_branch
           cross join lateral (
             select * from workflow_runs w
             where w.integration_id = $1 and w.head_sha = p.head_sha and w.repository = p.repository
               and w.created_at <= p.merged_at
             order by w.created_at desc, w.run_id desc limit ${maxRuns}) w
           order by k.place, w.created_at desc, w.run_id desc`,
    values: [integrationId, pulls.map(({ repository }) => repository), pulls.map(({ number }) => number)],
  });
}
