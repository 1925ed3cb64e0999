import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { listSubscriptions, type CountedSubscription } from './subscription-store.ts';

export async function readSubscriptions(tx: Tx, integrationId: string): Promise<WebhookSubscription[]> {
  return (await listSubscriptions(tx, integrationId)).map(subscriptionObject);
}

/** @throws AppError `not_found` */
export async function readSubscription(
  tx: Tx,
  integrationId: string,
  subscriptionId: string,
): Promise<WebhookSubscription> {
  const [row] = await listSubscriptions(tx, integrationId, subscriptionId);
  if (row === undefined) throw subscriptionNotFound();
  return subscriptionObject(row);
}

export function subscriptionNotFound(): AppError {
  return new AppError('not_found', { detail: 'Webhook subscription not found.' });
}

function subscriptionObject(row: CountedSubscription): WebhookSubscription {
  return {
    subscriptionId: row.subscription_id,
    name: row.name,
    eventTypes: row.event_types,
    host: row.host,
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since?.toISOString() ?? null,
    lastProblem: row.last_problem,
    lastSuccessAt: row.last_success_at?.toISOString() ?? null,
    waiting: row.waiting,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    failed: row.failed,
    previousSecretUntil: row.grace_until?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    signingSecret: null,
  };
}
