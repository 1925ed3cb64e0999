import type { IncidentKind } from '#contract/alerts/alerts.ts';
import type { closeReasons, Failure, IncidentQuery, Notification } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Owner } from '#contract/alerts/workflow-owners.ts';
import { handlerOfIncident, ownerOfWorkflow } from '#server/workflow-owners/stored-owner.ts';
import type { PagePosition } from '#platform/http/page-cursor.ts';

export interface IncidentRow {
  incident_id: string;
  kind: IncidentKind;
  subject: string | null;
  repository: string;
  workflow: string | null;
  branch: string | null;
  /** A string if the row was read as JSON. */
  opened_at: Date | string;
  closed_at: Date | string | null;
  closed_by_run_id: string | null;
  failed_runs: number;
  failed_jobs: number;
  first_failure: Failure;
  last_failure: Failure;
  version: number;
  acknowledged_at: Date | string | null;
  acknowledged_by: string | null;
  acknowledged_name: string | null;
  assignee_id: string | null;
  assignee_name: string | null;
  snoozed_until: Date | string | null;
  close_reason: Exclude<(typeof closeReasons)[number], 'quarantined'> | null;
  closed_by: string | null;
  closed_name: string | null;
  close_note: string | null;
  owner: Owner | null;
}

const nameOf = (column: string): string =>
  `(select coalesce(u.name, u.forge_login) from users u where u.user_id = i.${column})`;

/** All columns of an incident `i`, with the names of its people. */
export const incidentColumns = `i.*, ${nameOf('acknowledged_by')} as acknowledged_name,
  ${nameOf('assignee_id')} as assignee_name, ${nameOf('closed_by')} as closed_name,
  ${ownerOfWorkflow('i.integration_id', 'i.repository', 'i.workflow')} as owner`;

export interface IncidentFilter extends Pick<IncidentQuery, 'status' | 'repository' | 'workflow' | 'show'> {
  /** Of the caller, for `mine`. */
  userId: string;
  now: Date;
  before: PagePosition | undefined;
}

const micros = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint::text`;
const afterMicros = (column: string, id: string, at: number): string =>
  `($${at}::text is null or (${column}, ${id}) < (timestamptz 'epoch' + $${at}::bigint * interval '1 microsecond', $${at + 1}::uuid))`;

/** Newest first. */
export function listIncidents(
  tx: Tx,
  integrationId: string,
  { status, repository, workflow, show, userId, now, before }: IncidentFilter,
  limit: number,
): Promise<(IncidentRow & { at_micros: string })[]> {
  return tx.rows<IncidentRow & { at_micros: string }>(
    `select ${incidentColumns}, ${micros('opened_at')} as at_micros from incidents i
     where integration_id = $1 and ($2::text is null or (closed_at is null) = ($2 = 'open'))
       and ($3::text is null or repository = $3) and ($10::text is null or workflow = $10)
       and ${afterMicros('opened_at', 'incident_id', 4)}
       and ($7::text is distinct from 'mine' or ${handlerOfIncident} = $8)
       and ($7::text is distinct from 'unacknowledged'
         or acknowledged_at is null and coalesce(snoozed_until <= $9, true))
     order by opened_at desc, incident_id desc limit $6`,
    [
      integrationId,
      status ?? null,
      repository ?? null,
      before?.at ?? null,
      before?.id ?? null,
      limit,
      show ?? null,
      userId,
      now,
      workflow ?? null,
    ],
  );
}

/** The open incidents of these branches. */
export function listOpenIncidents(
  tx: Tx,
  integrationId: string,
  branchKeys: readonly Buffer[],
): Promise<(IncidentRow & { branch_key: Buffer })[]> {
  return tx.rows<IncidentRow & { branch_key: Buffer }>({
    name: 'list-open-incidents',
    text: `select ${incidentColumns} from incidents i
           where i.integration_id = $1 and i.branch_key = any ($2) and i.closed_at is null`,
    values: [integrationId, branchKeys],
  });
}

export interface NotificationRow extends Omit<Notification, 'createdAt' | 'sentAt'> {
  createdAt: Date;
  sentAt: Date | null;
  at_micros: string;
}

/** The notifications of a rule, newest first. */
export function listNotifications(
  tx: Tx,
  integrationId: string,
  ruleId: string,
  before: PagePosition | undefined,
  limit: number,
): Promise<NotificationRow[]> {
  return tx.rows<NotificationRow>(
    `select n.notification_id as "notificationId", n.kind, n.status, n.incident_id as "incidentId",
       n.channel_type as "channelType", n.target, i.repository, i.workflow, i.branch, n.status_code as "statusCode",
       n.problem, n.created_at as "createdAt", n.sent_at as "sentAt", ${micros('n.created_at')} as at_micros
     from notifications n
     left join incidents i on i.integration_id = $1 and i.incident_id = n.incident_id
     where n.integration_id = $1 and n.rule_id = $2 and ${afterMicros('n.created_at', 'n.notification_id', 3)}
     order by n.created_at desc, n.notification_id desc limit $5`,
    [integrationId, ruleId, before?.at ?? null, before?.id ?? null, limit],
  );
}

/**
 * Deletes closed incidents, notifications and successes that are older than `before`, and open incidents without a newer
 * failure: a branch that was deleted while broken never recovers. Of an open incident the newest notification of each rule stays, so that
 * recoveries reach the same rules. Returns the number of rows.
 */
export async function deleteOldHistory(tx: Tx, integrationId: string, before: Date): Promise<number> {
  const values = [integrationId, before];
  const deleted = await Promise.all([
    tx.query(
      `delete from incidents where integration_id = $1
         and (closed_at < $2 or closed_at is null and (last_failure ->> 'at')::timestamptz < $2)`,
      values,
    ),
    tx.query(
      `delete from notifications n where n.integration_id = $1 and n.created_at < $2
         and (not exists (select from incidents i
             where i.integration_id = $1 and i.incident_id = n.incident_id and i.closed_at is null)
           or n.kind = 'repeated' and exists (select from notifications o
             where o.integration_id = $1 and o.incident_id = n.incident_id and o.rule_id = n.rule_id
               and o.kind in ('opened', 'repeated') and o.status = 'sent' and o.notification_id <> n.notification_id
               and (o.kind = 'opened' or o.created_at > n.created_at)))`,
      values,
    ),
    tx.query('delete from branch_successes where integration_id = $1 and at < $2', values),
    tx.query('delete from job_successes where integration_id = $1 and at < $2', values),
    tx.query('delete from branch_ends where integration_id = $1 and at < $2', values),
  ]);
  return deleted.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}
