import type { ChannelType } from '#contract/alerts/alerts.ts';
import type { Digest } from '#contract/alerts/digest.ts';
import type { Failure, NotificationKind, NotificationStatus } from '#contract/alerts/incidents.ts';
import type { TaskKindName } from '#contract/integrations/tasks.ts';
import type { Tx } from '#platform/database/database.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { requestsOf } from '#server/tasks/request-tasks.ts';
import { isQuarantined, type FactColumns } from '#server/alerts/incidents/reading/incident-object.ts';

export interface NewNotification {
  ruleId: string;
  /** Null for a digest, and so is the key. */
  incidentId: string | null;
  branchKey: Buffer | null;
  kind: Exclude<NotificationKind, 'test'>;
  /** When the failure completed, or when the cooldown before it ends. The next cooldown starts here. When a digest was due. */
  failureAt: Date;
  /** The failure; null for a recovery, which uses the failure that was notified, and for a digest. */
  failure: Failure | null;
  digest?: Digest;
}

/** The kind of the tasks that send notifications. Their key is the id of the notification. */
export const notificationTask = 'notifications' satisfies TaskKindName;

const { mostWaiting } = alertPolicy;
const noRoom = `Not sent: ${mostWaiting.toLocaleString('en')} notifications were waiting already.`;

/** Inserts one notification per channel of the rule, to be sent in `waitMs`. It fails if too many wait. */
export async function insertNotifications(
  tx: Tx,
  integrationId: string,
  row: NewNotification,
  waitMs: number,
): Promise<void> {
  await tx.query({
    name: 'insert-notifications',
    text: `with queue as (
             select count(*) >= ${mostWaiting} as is_full from (
               select from tasks where integration_id = $1 and kind = '${notificationTask}' limit ${mostWaiting}) waiting),
           made as (
             insert into notifications (integration_id, rule_id, channel_id, incident_id, branch_key, kind, status,
               channel_type, target, failure_at, failure, problem, digest)
             select $1, rule_id, channel_id, $3, $4, $5, case when is_full then 'failed' else 'waiting' end, type, target, $6, $7,
               case when is_full then '${noRoom}' end, $9
             from notification_channels, queue where integration_id = $1 and rule_id = $2
             returning notification_id, status)
           ${requestsOf(
             `select $1, '${notificationTask}', notification_id::text, now() + $8 * interval '1 ms' from made where status = 'waiting'`,
           )}`,
    values: [
      integrationId,
      row.ruleId,
      row.incidentId,
      row.branchKey,
      row.kind,
      row.failureAt,
      row.failure,
      waitMs,
      row.digest ?? null,
    ],
  });
}

const aboutFailure = `kind in ('opened', 'repeated')`;
const waitsForCooldown = `failure_at > (failure ->> 'at')::timestamptz`;

/** Suppresses the notifications of the rule that wait for a cooldown. Their tasks end when they are due. */
export async function suppressPending(
  tx: Tx,
  integrationId: string,
  incidentId: string,
  ruleId: string,
): Promise<void> {
  await tx.query(
    `update notifications set status = 'held_back'
     where integration_id = $1 and incident_id = $2 and rule_id = $3 and ${aboutFailure} and status = 'waiting'
       and ${waitsForCooldown}`,
    [integrationId, incidentId, ruleId],
  );
}

export async function suppressNotification(
  tx: Tx,
  integrationId: string,
  notificationId: string,
): Promise<void> {
  await tx.query(
    `update notifications set status = 'held_back'
     where integration_id = $1 and notification_id = $2 and status = 'waiting'`,
    [integrationId, notificationId],
  );
}

export interface NotificationDetails {
  rule_id: string;
  rule_name: string;
  channel_id: string;
  kind: NotificationKind;
  status: NotificationStatus;
  target: string;
  incident: FactColumns | null;
  /** The failure that the notification is about; null without an incident. */
  failure: Failure | null;
  digest: Digest | null;
  /**
   * While the notification waited, the rule was disabled or the incident was closed for another reason than its recovery; a
   * reminder also when the incident recovered, was acknowledged or snoozed.
   */
  is_obsolete: boolean;
  /** Another notification about the same incident must reach the channel first. */
  must_wait: boolean;
}

export function findNotification(
  tx: Tx,
  integrationId: string,
  notificationId: string,
): Promise<NotificationDetails | undefined> {
  return tx.row<NotificationDetails>(
    `select n.rule_id, r.name as rule_name, n.channel_id, n.kind, n.status, n.target, n.digest,
            case when i.incident_id is not null then to_jsonb(i) - 'branch_key' end as incident,
            coalesce(n.failure, (
              select o.failure from notifications o where o.integration_id = $1 and o.incident_id = n.incident_id
                and o.rule_id = n.rule_id and o.${aboutFailure} and o.status <> 'held_back' limit 1),
              i.last_failure) as failure,
            n.${aboutFailure} and (not r.enabled
              or i.close_reason <> 'recovered' or ${isQuarantined('i')}
              or n.failure_at > (n.failure ->> 'at')::timestamptz and coalesce(i.closed_at < n.failure_at, false)
              or (n.kind = 'repeated' or n.failure_at > (n.failure ->> 'at')::timestamptz)
                and (i.acknowledged_at is not null or i.snoozed_until > now()))
              as is_obsolete,
            n.kind = 'recovered' and exists (
              select from notifications o where o.integration_id = $1 and o.incident_id = n.incident_id
                and o.channel_id = n.channel_id and o.${aboutFailure} and o.status = 'waiting') as must_wait
     from notifications n
     join notification_rules r on r.integration_id = $1 and r.rule_id = n.rule_id
     left join incidents i on i.integration_id = $1 and i.incident_id = n.incident_id
     where n.integration_id = $1 and n.notification_id = $2`,
    [integrationId, notificationId],
  );
}

export interface SettledNotification {
  status: 'sent' | 'failed';
  statusCode: number | null;
  problem: string | null;
}

export async function settleNotification(
  tx: Tx,
  integrationId: string,
  notificationId: string,
  { status, statusCode, problem }: SettledNotification,
): Promise<void> {
  await tx.query(
    `update notifications set status = $3, status_code = $4, problem = $5,
       sent_at = case when $3 = 'sent' then now() end
     where integration_id = $1 and notification_id = $2`,
    [integrationId, notificationId, status, statusCode, problem],
  );
}

export interface TestNotification {
  notificationId: string;
  ruleId: string;
  channelId: string;
  channelType: ChannelType;
  target: string;
  isSent: boolean;
  statusCode: number | null;
  problem: string | null;
}

/** A test notification is sent while the caller waits, and stored afterwards. */
export async function insertTestNotification(
  tx: Tx,
  integrationId: string,
  row: TestNotification,
): Promise<void> {
  await tx.query(
    `insert into notifications (integration_id, rule_id, channel_id, kind, status, channel_type, target,
       status_code, problem, sent_at, notification_id)
     values ($1, $2, $3, 'test', case when $6 then 'sent' else 'failed' end, $4, $5, $7, $8, case when $6 then now() end, $9)`,
    [
      integrationId,
      row.ruleId,
      row.channelId,
      row.channelType,
      row.target,
      row.isSent,
      row.statusCode,
      row.problem,
      row.notificationId,
    ],
  );
}
