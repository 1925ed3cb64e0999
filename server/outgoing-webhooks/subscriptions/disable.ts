import type { Tx } from '#platform/database/database.ts';
import { failWaiting } from '../sending/queue-store.ts';
import { disabledTexts, logSubscription } from './entries.ts';
import {
  disableSubscription,
  lockSubscription,
  type DisabledReason,
  type SubscriptionRow,
} from './subscription-store.ts';

/** Ends a subscription that does not work, until somebody enables it. What waits becomes failed, and can be replayed. */
export async function disable(
  tx: Tx,
  integrationId: string,
  subscription: Pick<SubscriptionRow, 'subscription_id' | 'name' | 'host'>,
  reason: DisabledReason,
): Promise<void> {
  const { subscription_id: subscriptionId } = subscription;
  await disableSubscription(tx, integrationId, subscriptionId, reason);
  await failWaiting(
    tx,
    integrationId,
    subscriptionId,
    `The subscription was disabled: ${disabledTexts[reason]}.`,
  );
  await logSubscription(tx, { integrationId }, subscription, 'disabled', disabledTexts[reason]);
}

/** Disables a subscription whose queue was full, so that events do not fail one by one until the next attempt. False when a person changed it. */
export async function disableOverflowed(
  tx: Tx,
  integrationId: string,
  subscriptionId: string,
): Promise<boolean> {
  const subscription = await lockSubscription(tx, integrationId, subscriptionId);
  const isOver = subscription?.enabled === true && subscription.overflowed_at !== null;
  if (isOver) await disable(tx, integrationId, subscription, 'full');
  return isOver;
}
