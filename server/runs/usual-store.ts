import { leastSuccesses, measuredSuccesses, type UsualDurations } from '#contract/runs/usual.ts';
import type { Tx } from '#platform/database/database.ts';

/** Earlier runs of the workflow that are searched for successes. */
const maxScanned = 100;

/** Earlier runs whose jobs are measured. A job can succeed in a run that fails. */
const runsWithJobs = 30;

interface UsualRow {
  /** Null for the run. */
  name: string | null;
  ms: number;
}

const durationOf = (row: string): string =>
  `greatest(0, round(extract(epoch from ${row}.completed_at - ${row}.started_at) * 1000))`;
const isMeasured = (row: string): string =>
  `${row}.conclusion = 'success' and ${row}.started_at is not null and ${row}.completed_at is not null`;
const median = 'percentile_disc(0.5) within group (order by m.ms)::float8 as ms';
const isEnough = `having count(*) >= ${leastSuccesses}`;

/** Medians of the run and of the jobs with the names of its jobs. The default branch has an index of its own. */
function listUsualDurations(tx: Tx, integrationId: string, runId: number): Promise<UsualRow[]> {
  const scanned = (isDefault: string, index: string): string => `
    (select w.* from workflow_runs w
     where ${isDefault} and w.integration_id = $1 and ${index} and w.workflow_key = r.workflow_key
       and (w.created_at, w.run_id) < (r.created_at, r.run_id)
     order by w.created_at desc, w.run_id desc limit ${maxScanned})`;
  // Newest first, so that no more are read than are needed.
  const earlier = (condition: string, most: number): string => `
    select e.* from workflow_runs r cross join lateral (
      select e.* from (
        ${scanned('r.on_default_branch', 'w.on_default_branch')} union all
        ${scanned('not r.on_default_branch', 'true')}) e
      where e.status = 'completed' and e.on_default_branch = r.on_default_branch and e.repository = r.repository
        and e.workflow_name is not distinct from r.workflow_name and ${condition}
      order by e.created_at desc, e.run_id desc limit ${most}) e
    where r.integration_id = $1 and r.run_id = $2`;
  return tx.rows<UsualRow>({
    name: 'list-usual-durations',
    text: `with jobs as materialized (
             select distinct j.name from workflow_jobs j where j.integration_id = $1 and j.run_id = $2)
           select null as name, ${median} from (
             select ${durationOf('e')} as ms from (${earlier(isMeasured('e'), measuredSuccesses)}) e) m ${isEnough}
           union all
           select m.name, ${median} from (
             select j.name, ${durationOf('j')} as ms,
               row_number() over (partition by j.name order by e.created_at desc, e.run_id desc) as place
             from (${earlier('true', runsWithJobs)}) e
             join workflow_jobs j on j.integration_id = $1 and j.run_id = e.run_id and j.attempt = e.attempt
             where ${isMeasured('j')} and j.name in (select jobs.name from jobs)) m
           where m.place <= ${measuredSuccesses} group by m.name ${isEnough}`,
    values: [integrationId, runId],
  });
}

/** How long a run and its jobs usually take, as of the run: later runs do not count. */
export async function readUsualDurations(
  tx: Tx,
  integrationId: string,
  runId: number,
): Promise<UsualDurations> {
  const rows = await listUsualDurations(tx, integrationId, runId);
  return {
    runMs: rows.find(({ name }) => name === null)?.ms ?? null,
    jobs: rows.flatMap(({ name, ms }) => (name === null ? [] : [{ name, ms }])),
  };
}
