import { randomUUID } from 'node:crypto';
import {
  mostSubscriptions,
  type NewSubscriptionBody,
  type SubscriptionBody,
  type WebhookSubscription,
} from '#contract/integrations/webhook-subscriptions.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { failWaiting, hastenFirst } from '../sending/queue-store.ts';
import { makeSigningSecret } from '../signing.ts';
import { logSubscription } from './entries.ts';
import { readSubscription, subscriptionNotFound } from './read-subscriptions.ts';
import { sealColumn } from './subscription-secrets.ts';
import {
  deleteSubscription,
  insertSubscription,
  listSubscriptions,
  lockSubscription,
  lockSubscriptions,
  updateSubscription,
} from './subscription-store.ts';

export interface SubscriptionDeps extends Pick<SharedDeps, 'db' | 'sealer'> {
  /** Why a URL must not be called; undefined if it may. */
  refusal(url: string): string | undefined;
}

/** Returns the subscription with its signing secret, which is shown only once. @throws AppError `conflict` at the limit */
export async function createSubscription(
  deps: SubscriptionDeps,
  actor: Actor,
  { name, url, eventTypes }: NewSubscriptionBody,
): Promise<WebhookSubscription> {
  const { integrationId, actorId } = actor;
  const subscriptionId = randomUUID();
  const target = sealUrl(deps, integrationId, subscriptionId, url);
  const secret = makeSigningSecret();
  return withRole(deps.db, actor, 'admin', async (tx) => {
    await lockSubscriptions(tx, integrationId);
    if ((await listSubscriptions(tx, integrationId)).length >= mostSubscriptions)
      throw new AppError('conflict', {
        detail: `An integration has at most ${mostSubscriptions} webhook subscriptions. Delete one first.`,
      });
    const row = {
      ...target,
      subscription_id: subscriptionId,
      name,
      event_types: eventTypes,
      sealed_secret: sealColumn(deps.sealer, integrationId, subscriptionId, 'secret', secret),
    };
    await insertSubscription(tx, integrationId, row, actorId);
    await logSubscription(tx, actor, row, 'created');
    return { ...(await readSubscription(tx, integrationId, subscriptionId)), signingSecret: secret };
  });
}

/** Replaces what a person can change. What waits of a disabled subscription becomes failed. @throws AppError `not_found` */
export async function changeSubscription(
  deps: SubscriptionDeps,
  actor: Actor,
  subscriptionId: string,
  { name, url, eventTypes, enabled }: SubscriptionBody,
): Promise<WebhookSubscription> {
  const { integrationId } = actor;
  const target = url === undefined ? {} : sealUrl(deps, integrationId, subscriptionId, url);
  return withRole(deps.db, actor, 'admin', async (tx) => {
    const stored = await lockSubscription(tx, integrationId, subscriptionId);
    if (stored === undefined) throw subscriptionNotFound();
    const row = { ...stored, ...target, name, event_types: eventTypes, enabled };
    await updateSubscription(tx, integrationId, row);
    // The receiver may have been repaired: it is tried at once.
    await (enabled
      ? hastenFirst(tx, integrationId, subscriptionId)
      : failWaiting(tx, integrationId, subscriptionId, 'A person disabled the subscription.'));
    await logSubscription(tx, actor, row, 'changed');
    return readSubscription(tx, integrationId, subscriptionId);
  });
}

/** What waits is never sent. @throws AppError `not_found` */
export async function removeSubscription(db: Database, actor: Actor, subscriptionId: string): Promise<void> {
  const { integrationId } = actor;
  await withRole(db, actor, 'admin', async (tx) => {
    const removed = await deleteSubscription(tx, integrationId, subscriptionId);
    if (removed === undefined) throw subscriptionNotFound();
    await failWaiting(tx, integrationId, subscriptionId, 'The subscription was deleted.');
    await logSubscription(tx, actor, { ...removed, subscription_id: subscriptionId }, 'deleted');
  });
}

function sealUrl(
  { sealer, refusal }: SubscriptionDeps,
  integrationId: string,
  subscriptionId: string,
  url: string,
): { sealed_url: Buffer; host: string } {
  const problem = refusal(url);
  if (problem !== undefined) throw invalidField('url', problem);
  return {
    sealed_url: sealColumn(sealer, integrationId, subscriptionId, 'url', url),
    host: new URL(url).host,
  };
}
