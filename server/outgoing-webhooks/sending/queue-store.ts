import type { Tx } from '#platform/database/database.ts';

/** The first webhook of a receiver that waits. */
export interface QueuedWebhook {
  position: string;
  group_id: string;
  receiver_id: string;
  webhook_id: string;
}

const columns = 'position::text, group_id, receiver_id, webhook_id';

/**
 * Leases the first webhook of receivers that are due, so that no other process sends it. The search jumps from one receiver to the
 * next: its time depends on the receivers and not on the webhooks that wait. Their order is random: in a fixed order a few slow
 * ones would use all free places.
 */
/** Webhooks that are due, and subscriptions that must be disabled. */
export const dueWebhooks =
  'select from outgoing_webhook_queue where due_at <= now() union all select from overflowed_subscriptions()';

export function claimFirst(
  tx: Tx,
  limits: { total: number; perGroup: number; leaseMs: number; busyGroups: readonly string[] },
): Promise<QueuedWebhook[]> {
  return tx.rows<QueuedWebhook>({
    name: 'claim-outgoing-webhooks',
    text: `with recursive first as (
             (select receiver_id, position, due_at from outgoing_webhook_queue order by receiver_id, position limit 1)
             union all
             select n.* from first f cross join lateral (
               select receiver_id, position, due_at from outgoing_webhook_queue
               where receiver_id > f.receiver_id order by receiver_id, position limit 1) n
           ), due as (
             select q.position, row_number() over (partition by q.group_id order by random()) as turn
             from first f join outgoing_webhook_queue q on q.position = f.position
             where f.due_at <= now() and q.group_id <> all ($4::uuid[])
           )
           update outgoing_webhook_queue set due_at = now() + $3 * interval '1 ms'
           where position = any (array(select position from due where turn <= $2 order by random() limit $1)) and due_at <= now()
           returning ${columns}`,
    values: [limits.total, limits.perGroup, limits.leaseMs, limits.busyGroups],
  });
}

/** Leases the webhook that is first now, if it is due. */
export function claimNext(tx: Tx, receiverId: string, leaseMs: number): Promise<QueuedWebhook | undefined> {
  return tx.row<QueuedWebhook>({
    name: 'claim-next-outgoing-webhook',
    text: `update outgoing_webhook_queue set due_at = now() + $2 * interval '1 ms'
           where position = (select position from outgoing_webhook_queue where receiver_id = $1 order by position limit 1)
             and due_at <= clock_timestamp()
           returning ${columns}`,
    values: [receiverId, leaseMs],
  });
}

export async function dropQueued(tx: Tx, position: string): Promise<void> {
  await tx.query('delete from outgoing_webhook_queue where position = $1', [position]);
}

/** False when it was taken out of the queue during the attempt. */
export function delayQueued(tx: Tx, position: string, byMs: number): Promise<boolean> {
  return tx.some(
    `update outgoing_webhook_queue set due_at = now() + $2 * interval '1 ms' where position = $1`,
    [position, byMs],
  );
}

/** Makes a webhook that waits for its next attempt due now. Leaves one alone that is being sent. */
export async function hastenFirst(tx: Tx, integrationId: string, receiverId: string): Promise<void> {
  await tx.query(
    `with first as (
       select position, webhook_id from outgoing_webhook_queue where receiver_id = $2 order by position limit 1
     ), hastened as (
       update outgoing_webhooks w set next_attempt_at = now() from first f
       where w.integration_id = $1 and w.webhook_id = f.webhook_id and w.next_attempt_at > now() returning f.position)
     update outgoing_webhook_queue q set due_at = now() from hastened h where q.position = h.position`,
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
    `with dropped as (
       delete from outgoing_webhook_queue where group_id = $1 and receiver_id = $2 returning webhook_id)
     update outgoing_webhooks w set status = 'failed', next_attempt_at = null, problem = $3
     from dropped d where w.integration_id = $1 and w.webhook_id = d.webhook_id and w.status = 'waiting'`,
    [integrationId, receiverId, problem],
  );
}
