import { mostWaitingWebhooks } from '#contract/integrations/webhook-subscriptions.ts';
import type { Severity } from '#contract/deliveries/event-log.ts';
import type { Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { DisabledReason, SubscriptionRow } from './subscription-store.ts';

export const disabledTexts: Record<DisabledReason, string> = {
  failing: 'every attempt failed for three days',
  gone: 'the receiver answered 410',
  full: `${mostWaitingWebhooks.toLocaleString('en')} webhooks were waiting`,
};

/** What people did, and what the service itself did or noticed. */
const changes = {
  created: ['info', 'was added'],
  changed: ['info', 'was changed'],
  deleted: ['info', 'was deleted'],
  secret_rotated: ['warning', 'got a new signing secret'],
  failing: ['warning', 'fails'],
  recovered: ['info', 'works again'],
  disabled: ['error', 'was disabled'],
} as const satisfies Record<string, readonly [Severity, string]>;

/** Records a change in the event log. Without `actorId`, the service itself made it. */
export async function logSubscription(
  tx: Tx,
  { integrationId, actorId = null }: { integrationId: string; actorId?: string | null },
  { subscription_id: subscriptionId, name, host }: Pick<SubscriptionRow, 'subscription_id' | 'name' | 'host'>,
  change: keyof typeof changes,
  problem: string | null = null,
): Promise<void> {
  const [severity, text] = changes[change];
  await addLogEntry(tx, {
    integrationId,
    type: `webhook_subscription.${change}`,
    severity,
    title: `The webhook subscription “${name}” to ${host} ${text}${problem === null ? '' : `: ${problem}`}`,
    actorId,
    details: { subscriptionId, name, host },
  });
}
