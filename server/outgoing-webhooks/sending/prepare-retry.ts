import type { Tx } from '#platform/database/database.ts';
import { makeFirstDue } from './queue-store.ts';

/** Before a person repeats the task of a receiver: a turn would otherwise wait for the next attempt of its first webhook. */
export function prepareWebhookRetry(tx: Tx, integrationId: string, receiverId: string): Promise<void> {
  return makeFirstDue(tx, integrationId, receiverId);
}
