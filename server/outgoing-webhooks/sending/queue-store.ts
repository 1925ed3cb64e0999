import type { Tx } from '#platform/database/database.ts';
import { requestTasks } from '#server/tasks/request-tasks.ts';
import { webhookTask } from '#server/webhook-events/webhook-task.ts';

/** Requests that what waits is sent. A receiver that waits for its next attempt goes on waiting. */
export function requestSending(tx: Tx, integrationId: string, receiverId: string): Promise<void> {
  return requestTasks(tx, { integrationId, kind: webhookTask }, [receiverId], 'scheduled');
}

/** Sends a webhook that waits for its next attempt at once. */
export async function hastenFirst(tx: Tx, integrationId: string, receiverId: string): Promise<void> {
  await makeFirstDue(tx, integrationId, receiverId);
  await requestTasks(tx, { integrationId, kind: webhookTask }, [receiverId], 'restart');
}

export async function makeFirstDue(tx: Tx, integrationId: string, receiverId: string): Promise<void> {
  await tx.query(
    `update outgoing_webhooks set next_attempt_at = now() where integration_id = $1 and next_attempt_at > now() and webhook_id = (
       select webhook_id from outgoing_webhooks where integration_id = $1 and receiver_id = $2 and status = 'waiting'
       order by position limit 1)`,
    [integrationId, receiverId],
  );
}

/** Gives up what waits for a receiver. Returns the number of webhooks. */
export function failWaiting(
  tx: Tx,
  integrationId: string,
  receiverId: string,
  problem: string,
): Promise<number> {
  return tx.execute(
    `update outgoing_webhooks set status = 'failed', next_attempt_at = null, problem = $3
     where integration_id = $1 and receiver_id = $2 and status = 'waiting'`,
    [integrationId, receiverId, problem],
  );
}
