import type { EventWebhookType } from '#contract/integrations/webhook-types.ts';
import {
  mostFailedCount,
  mostWaitingWebhooks,
  type disabledReasons,
} from '#contract/integrations/webhook-subscriptions.ts';
import type { Tx } from '#platform/database/database.ts';

export type DisabledReason = (typeof disabledReasons)[number];

export interface SubscriptionRow {
  subscription_id: string;
  name: string;
  host: string;
  sealed_url: Buffer;
  sealed_secret: Buffer;
  sealed_previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  event_types: EventWebhookType[];
  enabled: boolean;
  disabled_reason: DisabledReason | null;
  failing_since: Date | null;
  failures: number;
  last_problem: string | null;
  last_success_at: Date | null;
  overflowed_at: Date | null;
  created_at: Date;
}

export interface CountedSubscription extends SubscriptionRow {
  /** Until when the previous secret signs; null when it does not any more. */
  grace_until: Date | null;
  waiting: number;
  next_attempt_at: Date | null;
  failed: number;
}

const columns = `subscription_id, name, host, sealed_url, sealed_secret, sealed_previous_secret, previous_secret_until, event_types,
  enabled, disabled_reason, failing_since, failures, last_problem, last_success_at, overflowed_at, created_at`;

/** Oldest first, or the one with `subscriptionId`. */
export function listSubscriptions(
  tx: Tx,
  integrationId: string,
  subscriptionId?: string,
): Promise<CountedSubscription[]> {
  return tx.rows<CountedSubscription>(
    `select ${columns}, case when previous_secret_until > now() then previous_secret_until end as grace_until,
       (select count(*)::int from (
         select from outgoing_webhooks w where w.integration_id = s.integration_id and w.receiver_id = s.subscription_id
           and w.status = 'waiting' limit $3) w) as waiting,
       (select w.next_attempt_at from outgoing_webhooks w where w.integration_id = s.integration_id
          and w.receiver_id = s.subscription_id and w.status = 'waiting' order by w.position limit 1) as next_attempt_at,
       (select count(*)::int from (
         select from outgoing_webhooks w where w.integration_id = s.integration_id and w.receiver_id = s.subscription_id
           and w.status = 'failed' limit $4) f) as failed
     from webhook_subscriptions s where integration_id = $1 and ($2::uuid is null or subscription_id = $2)
     order by created_at, subscription_id`,
    [integrationId, subscriptionId ?? null, mostWaitingWebhooks, mostFailedCount],
  );
}

/** Locks the row: what the sender and people change depends on what the other stored. */
export function lockSubscription(
  tx: Tx,
  integrationId: string,
  subscriptionId: string,
): Promise<SubscriptionRow | undefined> {
  return tx.row<SubscriptionRow>(
    `select ${columns} from webhook_subscriptions where integration_id = $1 and subscription_id = $2 for no key update`,
    [integrationId, subscriptionId],
  );
}

export function findSubscription(
  tx: Tx,
  integrationId: string,
  subscriptionId: string,
): Promise<SubscriptionRow | undefined> {
  return tx.row<SubscriptionRow>({
    name: 'find-webhook-subscription',
    text: `select ${columns} from webhook_subscriptions where integration_id = $1 and subscription_id = $2`,
    values: [integrationId, subscriptionId],
  });
}

/** Serializes the creation of subscriptions of one integration, so that none exceeds the limit. */
export async function lockSubscriptions(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('webhook subscriptions ' || $1, 0))`, [
    integrationId,
  ]);
}

export type StoredSubscription = Pick<
  SubscriptionRow,
  'subscription_id' | 'name' | 'host' | 'sealed_url' | 'sealed_secret' | 'event_types'
>;

export async function insertSubscription(
  tx: Tx,
  integrationId: string,
  row: StoredSubscription,
  createdBy: string,
): Promise<void> {
  await tx.query(
    `insert into webhook_subscriptions (integration_id, subscription_id, name, host, sealed_url, sealed_secret, event_types,
       enabled, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, true, (select user_id from users where user_id = $8))`,
    [
      integrationId,
      row.subscription_id,
      row.name,
      row.host,
      row.sealed_url,
      row.sealed_secret,
      row.event_types,
      createdBy,
    ],
  );
}

/** Every change by a person forgets the failures: the receiver may have been repaired. */
export async function updateSubscription(
  tx: Tx,
  integrationId: string,
  row: Omit<StoredSubscription, 'sealed_secret'> & { enabled: boolean },
): Promise<void> {
  await tx.query(
    `update webhook_subscriptions set name = $3, host = $4, sealed_url = $5, event_types = $6, enabled = $7,
       disabled_reason = null, failing_since = null, failures = 0, last_problem = null, overflowed_at = null
     where integration_id = $1 and subscription_id = $2`,
    [integrationId, row.subscription_id, row.name, row.host, row.sealed_url, row.event_types, row.enabled],
  );
}

export async function updateSecret(
  tx: Tx,
  integrationId: string,
  subscriptionId: string,
  secret: Pick<SubscriptionRow, 'sealed_secret' | 'sealed_previous_secret' | 'previous_secret_until'>,
): Promise<void> {
  await tx.query(
    `update webhook_subscriptions set sealed_secret = $3, sealed_previous_secret = $4, previous_secret_until = $5
     where integration_id = $1 and subscription_id = $2`,
    [
      integrationId,
      subscriptionId,
      secret.sealed_secret,
      secret.sealed_previous_secret,
      secret.previous_secret_until,
    ],
  );
}

/** Undefined when there is no such subscription. */
export function deleteSubscription(
  tx: Tx,
  integrationId: string,
  subscriptionId: string,
): Promise<{ name: string; host: string } | undefined> {
  return tx.row<{ name: string; host: string }>(
    'delete from webhook_subscriptions where integration_id = $1 and subscription_id = $2 returning name, host',
    [integrationId, subscriptionId],
  );
}

export async function saveSuccess(tx: Tx, integrationId: string, subscriptionId: string): Promise<void> {
  await tx.query({
    name: 'save-webhook-success',
    text: `update webhook_subscriptions set failing_since = null, failures = 0, last_problem = null, last_success_at = now()
           where integration_id = $1 and subscription_id = $2`,
    values: [integrationId, subscriptionId],
  });
}

export async function saveFailure(
  tx: Tx,
  integrationId: string,
  subscriptionId: string,
  at: Date,
  problem: string | null,
): Promise<void> {
  await tx.query(
    `update webhook_subscriptions set failing_since = coalesce(failing_since, $3), failures = failures + 1, last_problem = $4
     where integration_id = $1 and subscription_id = $2`,
    [integrationId, subscriptionId, at, problem],
  );
}

export async function disableSubscription(
  tx: Tx,
  integrationId: string,
  subscriptionId: string,
  reason: DisabledReason,
): Promise<void> {
  await tx.query(
    `update webhook_subscriptions set enabled = false, disabled_reason = $3
     where integration_id = $1 and subscription_id = $2`,
    [integrationId, subscriptionId, reason],
  );
}

/** Previous secrets that do not sign any more. Returns the number of rows. */
export function deleteEndedSecrets(tx: Tx, integrationId: string): Promise<number> {
  return tx.execute(
    `update webhook_subscriptions set sealed_previous_secret = null, previous_secret_until = null
     where integration_id = $1 and previous_secret_until < now()`,
    [integrationId],
  );
}
