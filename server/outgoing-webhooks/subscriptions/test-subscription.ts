import { mostWaitingWebhooks } from '#contract/integrations/webhook-subscriptions.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { lockMemberRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { insertTest } from '../log/log-store.ts';
import { readSubscription } from './read-subscriptions.ts';

/** Sends a webhook of the type `test`, behind those that wait. Returns its id. @throws AppError `not_found`, `conflict` */
export async function testSubscription(
  db: Database,
  actor: Actor,
  subscriptionId: string,
): Promise<{ webhookId: string }> {
  const { integrationId } = actor;
  return db.withScope({ integrationId }, async (tx) => {
    await lockMemberRole(tx, actor, 'admin');
    const { enabled, waiting } = await readSubscription(tx, integrationId, subscriptionId);
    if (!enabled)
      throw new AppError('conflict', {
        detail: 'The subscription is disabled. Enable it before you test it.',
      });
    if (waiting >= mostWaitingWebhooks)
      throw new AppError('conflict', { detail: `At most ${mostWaitingWebhooks} webhooks can wait.` });
    return { webhookId: await insertTest(tx, integrationId, subscriptionId) };
  });
}
