import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { makeSigningSecret } from '../signing.ts';
import { logSubscription } from './entries.ts';
import { readSubscription, subscriptionNotFound } from './read-subscriptions.ts';
import type { SubscriptionDeps } from './save-subscription.ts';
import { sealColumn } from './subscription-secrets.ts';
import { lockSubscription, updateSecret } from './subscription-store.ts';

/** Replaces the signing secret. For `graceHours` the old one signs too. @throws AppError `not_found` */
export async function rotateSigningSecret(
  { db, sealer, clock }: Pick<SubscriptionDeps, 'db' | 'sealer'> & { clock: Clock },
  actor: Actor,
  subscriptionId: string,
  graceHours: number,
): Promise<WebhookSubscription> {
  const { integrationId } = actor;
  const secret = makeSigningSecret();
  return withRole(db, actor, 'admin', async (tx) => {
    const stored = await lockSubscription(tx, integrationId, subscriptionId);
    if (stored === undefined) throw subscriptionNotFound();
    const isKept = graceHours > 0;
    await updateSecret(tx, integrationId, subscriptionId, {
      sealed_secret: sealColumn(sealer, integrationId, subscriptionId, 'secret', secret),
      sealed_previous_secret: isKept ? stored.sealed_secret : null,
      previous_secret_until: isKept ? new Date(clock() + graceHours * hourMs) : null,
    });
    await logSubscription(tx, actor, stored, 'secret_rotated');
    return { ...(await readSubscription(tx, integrationId, subscriptionId)), signingSecret: secret };
  });
}
