import { mostWaitingWebhooks } from '#contract/integrations/webhook-subscriptions.ts';
import type { EventWebhookType } from '#contract/integrations/webhook-types.ts';
import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { requestsOf } from '#server/tasks/request-tasks.ts';
import { webhookTask } from './webhook-task.ts';

const noRoom = `Not sent: ${mostWaitingWebhooks.toLocaleString('en')} webhooks were waiting already.`;

/**
 * Creates a webhook of each event ("integrationId", key, facts, ord) for each subscription to the type $1 of the integrations $2.
 * The id is a hash of subscription, type and key, so that an event that is stored twice is sent once. A subscription whose queue
 * is full is marked, and its webhook is failed at once: it can be replayed. The task of a marked one
 * ends its wait.
 */
const produce = (events: string): string => `with event as (${events}),
  receiver as (
    select s.integration_id, s.subscription_id,
      (select count(*) from (select from outgoing_webhooks w where w.integration_id = s.integration_id
        and w.receiver_id = s.subscription_id and w.status = 'waiting' limit $3) w) >= $3 as is_full
    from webhook_subscriptions s where s.integration_id = any ($2::uuid[]) and s.enabled and $1 = any (s.event_types)
  ), made as (
    insert into outgoing_webhooks (integration_id, webhook_id, receiver_id, receiver_kind, event_type, status, problem, facts)
    select r.integration_id, md5(concat_ws('/', r.subscription_id, $1, e.key))::uuid, r.subscription_id, 'subscription', $1,
      case when r.is_full then 'failed' else 'waiting' end, case when r.is_full then '${noRoom}' end, e.facts
    from event e join receiver r on r.integration_id = e."integrationId" order by e.ord
    on conflict do nothing returning integration_id, receiver_id
  ), marked as (
    update webhook_subscriptions s set overflowed_at = now() from receiver r
    where r.is_full and s.integration_id = r.integration_id and s.subscription_id = r.subscription_id and s.overflowed_at is null
    returning s.integration_id, s.subscription_id
  )
  ${requestsOf(
    `select integration_id, '${webhookTask}', receiver_id::text, now() from (
       select integration_id, receiver_id from made union select integration_id, subscription_id from marked) due`,
    't.key in (select subscription_id::text from marked)',
  )}`;

/** Events of imported history and of replays are announced only when they are as recent as this. */
export function isNews(happenedAt: number, now: number): boolean {
  return now - happenedAt < dayMs;
}

export interface WebhookEvent {
  integrationId: string;
  /** Names the event among those of its type. */
  key: string;
  facts: object;
}

export async function insertEvents(
  tx: Tx,
  type: EventWebhookType,
  events: readonly WebhookEvent[],
): Promise<void> {
  await tx.query({
    name: 'insert-webhook-events',
    text: produce(`select * from rows from (
      json_to_recordset($4) as ("integrationId" uuid, key text, facts json)) with ordinality as e ("integrationId", key, facts, ord)`),
    values: [
      type,
      [...new Set(events.map(({ integrationId }) => integrationId))],
      mostWaitingWebhooks,
      JSON.stringify(events),
    ],
  });
}

/** A member whose membership changed, with the role after it, or before its end. */
export interface ChangedMember {
  userId: string;
  role: Role;
  previousRole: Role | null;
}

export async function insertMemberEvents(
  tx: Tx,
  integrationId: string,
  type: EventWebhookType,
  members: readonly ChangedMember[],
): Promise<void> {
  await tx.query(
    produce(`select $4::uuid as "integrationId", gen_random_uuid()::text as key, c.ord,
      json_build_object('integrationId', $4::uuid, 'member', json_build_object('userId', c.user_id,
        'name', coalesce(u.name, u.forge_login), 'role', c.role, 'previousRole', c.previous_role)) as facts
      from unnest($5::uuid[], $6::text[], $7::text[]) with ordinality as c (user_id, role, previous_role, ord)
      left join users u on u.user_id = c.user_id`),
    [
      type,
      [integrationId],
      mostWaitingWebhooks,
      integrationId,
      members.map(({ userId }) => userId),
      members.map(({ role }) => role),
      members.map(({ previousRole }) => previousRole),
    ],
  );
}
