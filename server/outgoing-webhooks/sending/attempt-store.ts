import type { Tx } from '#platform/database/database.ts';
import type { StoredBody } from '../webhook-body.ts';

export interface WaitingWebhook extends StoredBody {
  receiver_id: string;
  receiver_kind: 'subscription' | 'channel';
  tries: number;
  /** Why the last attempt failed. */
  problem: string | null;
  /** Until the next attempt. */
  wait_ms: number;
}

/** The webhook that the receiver gets next. */
export function findFirstWaiting(
  tx: Tx,
  integrationId: string,
  receiverId: string,
): Promise<WaitingWebhook | undefined> {
  return tx.row<WaitingWebhook>({
    name: 'find-first-waiting-webhook',
    text: `select integration_id, webhook_id, receiver_id, receiver_kind, event_type, facts, sealed_body, created_at, tries, problem,
             greatest(0, extract(epoch from next_attempt_at - now()) * 1000)::float8 as wait_ms
           from outgoing_webhooks where integration_id = $1 and receiver_id = $2 and status = 'waiting' order by position limit 1`,
    values: [integrationId, receiverId],
  });
}

export interface Attempt {
  at: Date;
  durationMs: number;
  statusCode: number | null;
  problem: string | null;
}

export interface AfterAttempt {
  status: 'waiting' | 'sent' | 'failed';
  /** Null unless it waits. */
  waitMs: number | null;
  /** The body that was sent; null when it is kept already or is too large. */
  sealedBody: Buffer | null;
}

/**
 * Adds the attempt to the log of the webhook. A failed attempt does not change one that waits no more: somebody gave it up, or another
 * process sent it.
 */
export async function recordAttempt(
  tx: Tx,
  integrationId: string,
  webhookId: string,
  { at, durationMs, statusCode, problem }: Attempt,
  { status, waitMs, sealedBody }: AfterAttempt,
): Promise<void> {
  await tx.query({
    name: 'record-webhook-attempt',
    text: `with webhook as (
             update outgoing_webhooks set attempts = attempts + 1, tries = tries + 1, status = case when status = 'waiting' or $7 = 'sent' then $7 else status end, status_code = $5,
               duration_ms = $4, problem = $6,
               next_attempt_at = case when status = 'waiting' then now() + $8 * interval '1 ms' end,
               sealed_body = coalesce(sealed_body, $9),
               facts = case when coalesce(sealed_body, $9) is null then facts end
             where integration_id = $1 and webhook_id = $2 returning attempts)
           insert into outgoing_webhook_attempts (integration_id, webhook_id, number, at, duration_ms, status_code, problem)
           select $1, $2, attempts, $3, $4, $5, $6 from webhook`,
    values: [integrationId, webhookId, at, durationMs, statusCode, problem, status, waitMs, sealedBody],
  });
}

/** A webhook of a channel, which was sent already. A process that dies after sending sends it again with the same id. */
export async function insertSent(
  tx: Tx,
  integrationId: string,
  webhook: { webhookId: string; channelId: string; type: string; sealedBody: Buffer | null },
): Promise<void> {
  await tx.query(
    `insert into outgoing_webhooks (integration_id, webhook_id, receiver_id, receiver_kind, event_type, status, sealed_body)
     values ($1, $2, $3, 'channel', $4, 'waiting', $5) on conflict do nothing`,
    [integrationId, webhook.webhookId, webhook.channelId, webhook.type, webhook.sealedBody],
  );
}

/** A replay that succeeded changes what the list of notifications shows. */
export async function markNotificationSent(
  tx: Tx,
  integrationId: string,
  notificationId: string,
): Promise<void> {
  await tx.query(
    `update notifications set status = 'sent', problem = null, sent_at = now()
     where integration_id = $1 and notification_id = $2 and status = 'failed'`,
    [integrationId, notificationId],
  );
}
