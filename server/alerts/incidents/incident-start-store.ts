import type { Incident } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';

/** Since which commit it is broken. */
export type IncidentStart = Pick<Incident, 'firstBad' | 'lastGreen'>;

/** Runs of the branch that are searched for the last success; on the default branch those of the workflow. */
const maxScanned = 200;

/** The default branch has an index by workflow, other branches have few runs. */
const before = (isOfBranch: string, isAsked: string): string => `
  select * from workflow_runs x where ${isAsked} and x.integration_id = $1 and ${isOfBranch}
    and (x.created_at, x.run_id) < (b.created_at, b.run_id)
  order by x.created_at desc, x.run_id desc limit ${maxScanned}`;

/** By incident. The caller bounds the number of incidents. */
export async function findIncidentStarts(
  tx: Tx,
  integrationId: string,
  incidentIds: readonly string[],
): Promise<Map<string, IncidentStart>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await tx.rows<IncidentStart & { incidentId: string }>({
    name: 'find-incident-starts',
    text: `select i.incident_id as "incidentId",
             case when b.run_id is not null then json_build_object(
               'runId', b.run_id, 'sha', b.head_sha, 'title', coalesce(b.title, b.commit_message),
               'actor', coalesce(b.actor, b.triggering_actor)) end as "firstBad",
             case when g.run_id is not null then json_build_object(
               'runId', g.run_id, 'sha', g.head_sha, 'at', g.created_at) end as "lastGreen"
           from incidents i
           left join workflow_runs b on b.integration_id = $1 and b.run_id = (i.first_failure ->> 'runId')::bigint
           left join lateral (
             select n.run_id, n.head_sha, n.created_at from (
               (${before('x.on_default_branch and x.workflow_key = b.workflow_key', 'b.on_default_branch')})
               union all
               (${before('x.branch_key = b.branch_key', 'not b.on_default_branch')})) n
             where n.repository = b.repository and n.head_branch = b.head_branch and n.conclusion = 'success'
               and n.workflow_name is not distinct from b.workflow_name
               and coalesce(n.head_repository, n.repository) = coalesce(b.head_repository, b.repository)
             order by n.created_at desc, n.run_id desc limit 1) g on true
           where i.integration_id = $1 and i.incident_id = any ($2)`,
    values: [integrationId, incidentIds],
  });
  return new Map(
    rows.map(({ incidentId, firstBad, lastGreen }) => [
      incidentId,
      {
        firstBad,
        lastGreen: lastGreen && { ...lastGreen, at: new Date(lastGreen.at).toISOString() },
      },
    ]),
  );
}
