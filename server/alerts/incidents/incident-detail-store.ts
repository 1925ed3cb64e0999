import type { Incident } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';

/** What broke, and since which commit. */
export type IncidentDetail = Pick<Incident, 'failing' | 'firstBad' | 'lastGreen'>;

/** Runs of the branch that are searched for the last success. */
const maxScanned = 200;

interface DetailRow {
  incident_id: string;
  job: string | null;
  step: string | null;
  error_line: string | null;
  jobs: number;
  bad_run_id: string | null;
  bad_sha: string | null;
  bad_title: string | null;
  bad_actor: string | null;
  green_run_id: string | null;
  green_sha: string | null;
  green_at: Date | null;
}

/** By incident. The caller bounds the number of incidents. */
export async function findIncidentDetails(
  tx: Tx,
  integrationId: string,
  incidentIds: readonly string[],
): Promise<Map<string, IncidentDetail>> {
  if (incidentIds.length === 0) return new Map();
  const { rows } = await tx.query<DetailRow>({
    name: 'find-incident-details',
    text: `select i.incident_id, j.name as job, j.step, j.jobs, j.error_line, b.run_id as bad_run_id, b.head_sha as bad_sha,
             coalesce(b.title, b.commit_message) as bad_title, coalesce(b.actor, b.triggering_actor) as bad_actor,
             g.run_id as green_run_id, g.head_sha as green_sha, g.created_at as green_at
           from incidents i
           left join lateral (
             select w.name, count(*) over ()::int as jobs,
               (select s ->> 1 from json_array_elements(w.steps) s where s ->> 3 in ('failure', 'timed_out') limit 1) as step,
               (select f.error_line from failure_reasons f where f.integration_id = $1 and f.run_id = w.run_id
                  and f.attempt = w.attempt and f.job_id = w.job_id and f.without_log is null) as error_line
             from workflow_jobs w
             where w.integration_id = $1 and w.run_id = (i.last_failure ->> 'runId')::bigint
               and w.attempt = (i.last_failure ->> 'attempt')::int
               and w.conclusion in ('failure', 'timed_out', 'startup_failure')
             order by w.completed_at, w.job_id limit 1) j on true
           left join workflow_runs b on b.integration_id = $1 and b.run_id = (i.first_failure ->> 'runId')::bigint
           left join lateral (
             select n.run_id, n.head_sha, n.created_at from (
               select * from workflow_runs x where x.integration_id = $1 and x.branch_key = b.branch_key
                 and (x.created_at, x.run_id) < (b.created_at, b.run_id)
               order by x.created_at desc, x.run_id desc limit ${maxScanned}) n
             where n.repository = b.repository and n.head_branch = b.head_branch and n.conclusion = 'success'
               and n.workflow_name is not distinct from b.workflow_name
               and coalesce(n.head_repository, n.repository) = coalesce(b.head_repository, b.repository)
             order by n.created_at desc, n.run_id desc limit 1) g on true
           where i.integration_id = $1 and i.incident_id = any ($2)`,
    values: [integrationId, incidentIds],
  });
  return new Map(rows.map((row) => [row.incident_id, detailOf(row)]));
}

function detailOf(row: DetailRow): IncidentDetail {
  return {
    failing:
      row.job === null ? null : { job: row.job, step: row.step, errorLine: row.error_line, jobs: row.jobs },
    firstBad:
      row.bad_run_id === null
        ? null
        : {
            runId: Number(row.bad_run_id),
            sha: row.bad_sha,
            title: row.bad_title,
            actor: row.bad_actor,
          },
    lastGreen:
      row.green_run_id === null || row.green_at === null
        ? null
        : { runId: Number(row.green_run_id), sha: row.green_sha, at: row.green_at.toISOString() },
  };
}
