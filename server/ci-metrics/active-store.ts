import type { Tx } from '#platform/database/database.ts';

export interface ActiveRuns {
  repository: string;
  workflow: string;
  status: string;
  count: number;
}

export interface ActiveJobs {
  labels: string[];
  status: string;
  count: number;
}

/** GitHub ends a run after 35 days. An older one that looks open lost its last event. */
const longestRun = `interval '35 days'`;

/** The newest open runs that are counted. */
const maxRuns = 5000;

const openRuns = `
  select run_id, attempt, repository, workflow_name, status from workflow_runs
  where integration_id = $1 and completed_at is null and created_at > now() - ${longestRun} and status <> 'completed'
  order by created_at desc limit ${maxRuns}`;

/** Runs that wait or run, by workflow and status. */
export function countActiveRuns(tx: Tx, integrationId: string): Promise<ActiveRuns[]> {
  return tx.rows<ActiveRuns>({
    name: 'count-active-runs',
    text: `select r.repository, coalesce(r.workflow_name, '') as workflow, r.status, count(*)::integer as count
           from (${openRuns}) r group by 1, 2, 3 order by 1, 2, 3`,
    values: [integrationId],
  });
}

/** Jobs of these runs that wait or run, by labels and status. */
export function countActiveJobs(tx: Tx, integrationId: string): Promise<ActiveJobs[]> {
  return tx.rows<ActiveJobs>({
    name: 'count-active-jobs',
    text: `select j.labels, j.status, count(*)::integer as count
           from (${openRuns}) r cross join lateral (
             select w.labels, w.status from workflow_jobs w
             where w.integration_id = $1 and w.run_id = r.run_id and w.attempt = r.attempt and w.status <> 'completed'
             offset 0) j
           group by 1, 2 order by 1, 2`,
    values: [integrationId],
  });
}
