import type { Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { Actor } from '#server/members/locks/lock-member-role.ts';
import type { SubscriptionRow } from './subscription-store.ts';

const texts = {
  created: 'was added',
  changed: 'was changed',
  deleted: 'was deleted',
  secret_rotated: 'got a new signing secret',
} as const;

/** Records in the event log what a person did. */
export async function logSubscriptionChange(
  tx: Tx,
  { integrationId, actorId }: Actor,
  { subscription_id: subscriptionId, name, host }: Pick<SubscriptionRow, 'subscription_id' | 'name' | 'host'>,
  change: keyof typeof texts,
): Promise<void> {
  await addLogEntry(tx, {
    integrationId,
    type: `webhook_subscription.${change}`,
    severity: change === 'secret_rotated' ? 'warning' : 'info',
    title: `The webhook subscription “${name}” to ${host} ${texts[change]}`,
    actorId,
    details: { subscriptionId, name, host },
  });
}
