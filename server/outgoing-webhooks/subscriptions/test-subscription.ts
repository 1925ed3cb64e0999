import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { insertTest } from '../log/log-store.ts';
import { requireRoom } from '../log/replay.ts';
import { hastenFirst } from '../sending/queue-store.ts';
import { readSubscription } from './read-subscriptions.ts';
import { lockSubscription } from './subscription-store.ts';

/** Sends a webhook of the type `test`, behind those that wait. The first of them is tried at once. Returns its id. @throws AppError `not_found`, `conflict` */
export async function testSubscription(
  db: Database,
  actor: Actor,
  subscriptionId: string,
): Promise<{ webhookId: string }> {
  const { integrationId } = actor;
  return withRole(db, actor, 'admin', async (tx) => {
    await lockSubscription(tx, integrationId, subscriptionId);
    if (!(await readSubscription(tx, integrationId, subscriptionId)).enabled)
      throw new AppError('conflict', {
        detail: 'The subscription is disabled. Enable it before you test it.',
      });
    await requireRoom(tx, integrationId, subscriptionId);
    const webhookId = await insertTest(tx, integrationId, subscriptionId);
    await hastenFirst(tx, integrationId, subscriptionId);
    return { webhookId };
  });
}
