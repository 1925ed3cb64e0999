import type { OutgoingWebhookStatus, WebhookAttempt } from '#contract/integrations/outgoing-webhooks.ts';
import type { WebhookType } from '#contract/integrations/webhook-types.ts';
import type { Tx } from '#platform/database/database.ts';
import type { PagePosition } from '#platform/http/page-cursor.ts';
import { requestSending } from '../sending/queue-store.ts';
import type { StoredBody } from '../webhook-body.ts';

export interface WebhookRow extends StoredBody {
  receiver_id: string;
  receiver_kind: 'subscription' | 'channel';
  status: OutgoingWebhookStatus;
  attempts: number;
  status_code: number | null;
  duration_ms: number | null;
  problem: string | null;
  next_attempt_at: Date | null;
  at_micros: string;
}

const columns = `integration_id, webhook_id, receiver_id, receiver_kind, event_type, status, attempts, status_code,
  duration_ms, problem, created_at, next_attempt_at, (extract(epoch from created_at) * 1000000)::bigint::text as at_micros`;

/** Whether there is such a subscription, or channel of a notification rule. */
export function hasReceiver(tx: Tx, integrationId: string, receiverId: string): Promise<boolean> {
  return tx.some(
    `select from webhook_subscriptions where integration_id = $1 and subscription_id = $2
     union all
     select from notification_channels where integration_id = $1 and channel_id = $2 and type = 'webhook'`,
    [integrationId, receiverId],
  );
}

interface WebhookListQuery {
  status: OutgoingWebhookStatus | undefined;
  type: WebhookType | undefined;
  before: PagePosition | undefined;
}

/** Newest first, without bodies. The status is a constant of the statement, so that the index of failed webhooks is used. */
export function listWebhooks(
  tx: Tx,
  integrationId: string,
  receiverId: string,
  { status, type, before }: WebhookListQuery,
  limit: number,
): Promise<WebhookRow[]> {
  return tx.rows<WebhookRow>({
    text: `select ${columns}, null as facts, null as sealed_body from outgoing_webhooks
           where integration_id = $1 and receiver_id = $2 ${status === undefined ? '' : `and status = '${status}'`}
             and ($6::text is null or event_type = $6)
             and ($3::bigint is null
               or (created_at, webhook_id) < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
           order by created_at desc, webhook_id desc limit $5`,
    values: [integrationId, receiverId, before?.at ?? null, before?.id ?? null, limit, type ?? null],
  });
}

/** `forUpdate` keeps the sender and others who replay it waiting. */
export function findWebhook(
  tx: Tx,
  integrationId: string,
  webhookId: string,
  { forUpdate = false } = {},
): Promise<WebhookRow | undefined> {
  return tx.row<WebhookRow>(
    `select ${columns}, facts, sealed_body from outgoing_webhooks where integration_id = $1 and webhook_id = $2
     ${forUpdate ? 'for update' : ''}`,
    [integrationId, webhookId],
  );
}

export type AttemptRow = Omit<WebhookAttempt, 'at'> & { at: Date };

/** Newest first. */
export function listAttempts(
  tx: Tx,
  integrationId: string,
  webhookId: string,
  limit: number,
): Promise<AttemptRow[]> {
  return tx.rows<AttemptRow>(
    `select number, at, duration_ms as "durationMs", status_code as "statusCode", problem from outgoing_webhook_attempts
     where integration_id = $1 and webhook_id = $2 order by number desc limit $3`,
    [integrationId, webhookId, limit],
  );
}

/** Failed webhooks of a receiver, oldest first, locked. Those with too many attempts or without a body are left out. */
export function lockFailed(
  tx: Tx,
  integrationId: string,
  receiverId: string,
  { since, mostAttempts, limit }: { since: Date; mostAttempts: number; limit: number },
): Promise<string[]> {
  return tx.column<string>(
    `select webhook_id from outgoing_webhooks
     where integration_id = $1 and receiver_id = $2 and status = 'failed' and created_at >= $3 and attempts < $4
       and (facts is not null or sealed_body is not null)
     order by created_at, webhook_id limit $5 for update`,
    [integrationId, receiverId, since, mostAttempts, limit],
  );
}

/** Puts webhooks at the end of the queue of their receiver, in this order. */
export async function enqueueAgain(
  tx: Tx,
  integrationId: string,
  receiverId: string,
  webhookIds: readonly string[],
): Promise<void> {
  await tx.query(
    `with again as materialized (
       select webhook_id, nextval('outgoing_webhook_positions') as position from (
         select webhook_id from unnest($2::uuid[]) with ordinality as i (webhook_id, ord) order by ord) ordered)
     update outgoing_webhooks w set status = 'waiting', tries = 0, next_attempt_at = now(), position = a.position from again a
     where w.integration_id = $1 and w.webhook_id = a.webhook_id`,
    [integrationId, webhookIds],
  );
  await requestSending(tx, integrationId, receiverId);
}

export async function countWaiting(
  tx: Tx,
  integrationId: string,
  receiverId: string,
  most: number,
): Promise<number> {
  const count = await tx.value<number>(
    `select count(*)::int as count from (
       select from outgoing_webhooks where integration_id = $1 and receiver_id = $2 and status = 'waiting' limit $3) w`,
    [integrationId, receiverId, most],
  );
  return count ?? 0;
}

/** A webhook that a person asked for, to see whether a receiver works. */
export async function insertTest(tx: Tx, integrationId: string, subscriptionId: string): Promise<string> {
  const webhookId = await tx.value<string>(
    `insert into outgoing_webhooks (integration_id, receiver_id, receiver_kind, event_type, status, facts)
     values ($1, $2, 'subscription', 'test', 'waiting', json_build_object('integrationId', $1::uuid)) returning webhook_id`,
    [integrationId, subscriptionId],
  );
  return webhookId!;
}

/** Deletes the oldest webhooks with their attempts; those that wait stay. Returns the number of rows. */
export function deleteOldWebhooks(
  tx: Tx,
  integrationId: string,
  before: Date,
  most: number,
): Promise<number> {
  return tx.execute(
    `delete from outgoing_webhooks where integration_id = $1 and webhook_id = any (array(
       select webhook_id from outgoing_webhooks where integration_id = $1 and created_at < $2 and status <> 'waiting'
       order by created_at limit $3))`,
    [integrationId, before, most],
  );
}
