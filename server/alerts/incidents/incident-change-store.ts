import type { Tx } from '#platform/database/database.ts';
import { incidentColumns, type IncidentRow } from './reading/incident-list-store.ts';

/** What a person changes on an incident, as columns. */
export interface ChangedColumns {
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  assignee_id: string | null;
  snoozed_until: Date | null;
  closed_at: Date | null;
  close_reason: IncidentRow['close_reason'];
  closed_by: string | null;
  close_note: string | null;
}

export function findIncident(
  tx: Tx,
  integrationId: string,
  incidentId: string,
): Promise<IncidentRow | undefined> {
  return tx.row<IncidentRow>(
    `select ${incidentColumns} from incidents i where i.integration_id = $1 and i.incident_id = $2`,
    [integrationId, incidentId],
  );
}

export async function updateIncident(
  tx: Tx,
  integrationId: string,
  incidentId: string,
  columns: ChangedColumns,
): Promise<void> {
  await tx.query(
    `update incidents set version = version + 1, acknowledged_at = $3, acknowledged_by = $4, assignee_id = $5,
       snoozed_until = $6, closed_at = $7, close_reason = $8, closed_by = $9, close_note = $10
     where integration_id = $1 and incident_id = $2`,
    [
      integrationId,
      incidentId,
      columns.acknowledged_at,
      columns.acknowledged_by,
      columns.assignee_id,
      columns.snoozed_until,
      columns.closed_at,
      columns.close_reason,
      columns.closed_by,
      columns.close_note,
    ],
  );
}

/** Closes what is open about a hidden workflow, and returns it. A queue for runners belongs to no workflow. */
export function closeIncidentsAbout(
  tx: Tx,
  integrationId: string,
  {
    repository,
    workflow,
    closedBy,
    at,
  }: { repository: string; workflow: string; closedBy: string; at: Date },
): Promise<IncidentRow[]> {
  return tx.rows<IncidentRow>(
    `with closed as (
       update incidents set closed_at = greatest(opened_at, $4), close_reason = 'hidden', closed_by = $5, version = version + 1
       where integration_id = $1 and repository = $2 and coalesce(workflow, '') = $3 and closed_at is null
         and kind <> 'queued_too_long'
       returning *)
     select ${incidentColumns} from closed i`,
    [integrationId, repository, workflow, at, closedBy],
  );
}

/** Whether another incident of the same workflow and branch is open, and whether the workflow succeeded since. */
export async function findReopenProblem(
  tx: Tx,
  integrationId: string,
  incidentId: string,
): Promise<{ is_open: boolean; has_succeeded: boolean }> {
  const { rows } = await tx.query<{ is_open: boolean; has_succeeded: boolean }>(
    `select exists (select from incidents o where o.integration_id = $1 and o.branch_key = i.branch_key
              and o.closed_at is null) as is_open,
            exists (select from branch_successes s where s.integration_id = $1 and s.branch_key = i.branch_key
              and (s.run_id, s.attempt) >= (
                select f.run_id, f.attempt from incident_failures f where f.integration_id = $1
                  and f.incident_id = i.incident_id order by f.run_id desc, f.attempt desc limit 1)) as has_succeeded
     from incidents i where i.integration_id = $1 and i.incident_id = $2`,
    [integrationId, incidentId],
  );
  return rows[0] ?? { is_open: false, has_succeeded: false };
}

/** Notifies all processes: open screens reload their incidents after the commit. */
export async function announceIncidents(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_notify('incidents_changed', $1)`, [integrationId]);
}
