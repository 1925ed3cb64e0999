import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { sealBody } from '../webhook-body.ts';
import { insertSent, recordAttempt, type Attempt } from './attempt-store.ts';

/** A notification that was sent as a webhook, with its only attempt. */
export interface SentWebhook extends Attempt {
  webhookId: string;
  channelId: string;
  type: string;
  body: string;
}

/** Adds a notification to the delivery log of its channel, from where it can be replayed. */
export async function recordSent(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  { webhookId, channelId, type, body, ...attempt }: SentWebhook,
): Promise<void> {
  const sealedBody = sealBody(sealer, integrationId, webhookId, body);
  await insertSent(tx, integrationId, { webhookId, channelId, type, sealedBody });
  const status = attempt.problem === null ? 'sent' : 'failed';
  await recordAttempt(tx, integrationId, webhookId, attempt, { status, waitMs: null, sealedBody: null });
}
