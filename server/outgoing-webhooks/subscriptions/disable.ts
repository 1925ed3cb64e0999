import type { Database, Tx } from '#platform/database/database.ts';
import { failWaiting } from '../sending/queue-store.ts';
import { disabledTexts, logSubscription } from './entries.ts';
import {
  disableSubscription,
  listOverflowed,
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

/** Disables subscriptions whose queue was full, so that events do not fail one by one until the next attempt. */
export async function disableOverflowed(db: Database): Promise<void> {
  for (const { group_id: integrationId, id } of await db.withScope('service', listOverflowed))
    await db.withScope({ integrationId }, async (tx) => {
      const subscription = await lockSubscription(tx, integrationId, id);
      if (subscription?.enabled === true && subscription.overflowed_at !== null)
        await disable(tx, integrationId, subscription, 'full');
    });
}
