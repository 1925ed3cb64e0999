import { homeFailedDays, type HomeIntegration } from '#contract/integrations/home.ts';
import { failedConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { literals } from '#platform/database/rows/literals.ts';
import { columnList } from '#platform/database/rows/multi-row.ts';
import { selectRows } from '#platform/database/rows/select-rows.ts';
import { runTable, type RunRow } from '#server/runs/objects/run.ts';
import { isOpenRun } from '#server/runs/open-runs.ts';
import { handlerOfIncident } from '#server/workflow-owners/stored-owner.ts';

export type IntegrationNumbers = Omit<HomeIntegration, 'workflows' | 'red' | 'lastRunAt'> & {
  lastRunAt: Date | null;
};

/** Integrations with the role of the caller and the number of open runs, by name. */
export function listIntegrationNumbers(
  tx: Tx,
  integrationIds: readonly string[],
  callerId: string,
): Promise<IntegrationNumbers[]> {
  return tx.rows<IntegrationNumbers>({
    name: 'list-integration-numbers',
    text: `select i.integration_id as "integrationId", i.label, a.role, open.running, open.waiting,
             (select r.created_at from workflow_runs r where r.integration_id = i.integration_id
              order by r.created_at desc, r.run_id desc limit 1) as "lastRunAt"
           from integrations i
           join actors a on a.integration_id = i.integration_id and a.actor_id = $2
           cross join lateral (
             select count(*) filter (where r.status = 'in_progress')::int as running,
               count(*) filter (where r.status <> 'in_progress')::int as waiting
             from workflow_runs r where r.integration_id = i.integration_id and ${isOpenRun('r')}) open
           where i.integration_id = any ($1) order by lower(i.label), i.integration_id`,
    values: [integrationIds, callerId],
  });
}

const newestFirst = 'order by r.created_at desc, r.run_id desc';
const isOwn = `(lower(r.actor collate "C") = lower($2::text collate "C")
  or lower(r.triggering_actor collate "C") = lower($2::text collate "C"))`;

/** Runs of a person that are not completed, newest first. */
export function listOwnOpenRuns(
  tx: Tx,
  integrationIds: readonly string[],
  login: string,
  limit: number,
): Promise<RunRow[]> {
  return selectRows(tx, runTable, {
    text: `select ${columnList(runTable, 'r.')} from workflow_runs r
           where r.integration_id = any ($1::uuid[]) and ${isOpenRun('r')} and ${isOwn} ${newestFirst} limit ${limit}`,
    values: [integrationIds, login],
  });
}

/** Failed runs of a person without a newer run of their workflow on their branch, newest first. */
export function listOwnFailedRuns(
  tx: Tx,
  integrationIds: readonly string[],
  login: string,
  limit: number,
): Promise<RunRow[]> {
  return selectRows(tx, runTable, {
    text: `select ${columnList(runTable, 'r.')}
           from unnest($1::uuid[]) i (integration_id)
           cross join lateral (
             select * from workflow_runs r
             where r.integration_id = i.integration_id and r.actor_key = hashtextextended(lower($2::text collate "C"), 0)
               and r.conclusion in ${literals(failedConclusions)} and r.created_at >= now() - interval '${homeFailedDays} days'
             ${newestFirst} limit ${limit * 5}) r
           where r.status = 'completed' and not exists (
             select from workflow_runs n
             where n.integration_id = r.integration_id and n.workflow_key = r.workflow_key
               and n.branch_key is not distinct from r.branch_key and (n.created_at, n.run_id) > (r.created_at, r.run_id))
           ${newestFirst} limit ${limit}`,
    values: [integrationIds, login],
  });
}

/** The integrations with open incidents that are the person's. */
export function listIntegrationsWithOwnIncidents(
  tx: Tx,
  integrationIds: readonly string[],
  userId: string,
): Promise<string[]> {
  return tx.column<string>({
    name: 'list-integrations-with-own-incidents',
    text: `select distinct i.integration_id from incidents i
           where i.integration_id = any ($1::uuid[]) and i.closed_at is null and ${handlerOfIncident} = $2`,
    values: [integrationIds, userId],
  });
}
