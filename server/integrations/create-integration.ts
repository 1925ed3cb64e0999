import { randomUUID } from 'node:crypto';
import type { Database } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { addMember } from '#server/members/access/memberships.ts';
import { limitOwned } from '#server/members/limit-owned.ts';
import { insertIntegration } from './store.ts';
import { makeWebhookSecret, secretContext } from './secrets/webhook-secret.ts';

export interface CreatedIntegration {
  integrationId: string;
  /** In plain text. Only the sealed form is stored. */
  webhookSecret: string;
}

/**
 * Creates an integration with a new webhook secret and `ownerId` as its owner. A person may own at most `maxOwned`.
 * @throws AppError `integration_limit_reached`
 */
export async function createIntegration(
  { db, sealer }: { db: Database; sealer: Sealer },
  { label, ownerId, maxOwned }: { label: string; ownerId: string; maxOwned?: number },
): Promise<CreatedIntegration> {
  const integrationId = randomUUID();
  const webhookSecret = makeWebhookSecret();
  const sealedSecret = sealer.seal(Buffer.from(webhookSecret), secretContext(integrationId));
  await db.withScope({ joiningIntegrationId: integrationId }, async (tx) => {
    if (maxOwned !== undefined) await limitOwned(tx, ownerId, maxOwned);
    await insertIntegration(tx, { integrationId, label, sealedSecret });
    await addMember(tx, { integrationId, userId: ownerId, role: 'owner', source: 'manual' });
    await addLogEntry(tx, {
      integrationId,
      type: 'integration.created',
      title: `The integration “${label}” was created`,
      actorId: ownerId,
      details: { label },
    });
  });
  return { integrationId, webhookSecret };
}
