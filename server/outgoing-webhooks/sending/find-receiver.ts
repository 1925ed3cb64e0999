import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { openSubscription } from '../subscriptions/subscription-secrets.ts';
import { findSubscription, type SubscriptionRow } from '../subscriptions/subscription-store.ts';
import type { WaitingWebhook } from './attempt-store.ts';

/** Where a webhook is sent to, and the secrets that sign it. */
export interface Receiver {
  url: string;
  secrets: string[];
  /** Undefined for a channel of a notification rule. */
  subscription?: SubscriptionRow;
}

export interface ReceiverDeps {
  sealer: Sealer;
  /** Reads a channel of a notification rule. Undefined when it is gone or is no webhook. */
  findChannel(tx: Tx, integrationId: string, channelId: string): Promise<Receiver | undefined>;
}

/** Undefined when the receiver was removed or is disabled. */
export async function findReceiver(
  { sealer, findChannel }: ReceiverDeps,
  tx: Tx,
  integrationId: string,
  { receiver_id: receiverId, receiver_kind: kind }: Pick<WaitingWebhook, 'receiver_id' | 'receiver_kind'>,
  now: number,
): Promise<Receiver | undefined> {
  if (kind === 'channel') return findChannel(tx, integrationId, receiverId);
  const subscription = await findSubscription(tx, integrationId, receiverId);
  if (subscription?.enabled !== true) return undefined;
  return { ...openSubscription(sealer, integrationId, subscription, now), subscription };
}
