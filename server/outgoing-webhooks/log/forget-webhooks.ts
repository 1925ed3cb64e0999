import { webhookLogDays } from '#contract/integrations/outgoing-webhooks.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { deleteEndedSecrets } from '../subscriptions/subscription-store.ts';
import { deleteOldWebhooks } from './log-store.ts';

const rowsAtOnce = 2000;

/** Deletes webhooks that are older than the delivery log, and secrets that sign no more. Returns the number of rows. */
export async function forgetWebhooks(tx: Tx, integrationId: string, now: number): Promise<number> {
  const before = new Date(now - webhookLogDays * dayMs);
  const [webhooks, secrets] = await Promise.all([
    deleteOldWebhooks(tx, integrationId, before, rowsAtOnce),
    deleteEndedSecrets(tx, integrationId),
  ]);
  return webhooks + secrets;
}
