import type { UnqueuedReason } from '#contract/deliveries/deliveries.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { DeliveryTimes, IdRange } from '../store.ts';

/** A delivery that was answered without being queued. */
export interface UnqueuedFacts {
  receivedAt: Date;
  reason: UnqueuedReason;
  event: string | null;
  forgeDeliveryId: string | null;
  address: string;
}

export interface UnqueuedRow extends UnqueuedFacts {
  deliveryNo: string;
}

export async function insertUnqueued(
  tx: Tx,
  integrationId: string,
  rows: readonly UnqueuedFacts[],
): Promise<void> {
  await tx.query({
    text: `insert into unqueued_deliveries (integration_id, received_at, reason, event, forge_delivery_id, address)
           select $1, * from unnest($2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[])`,
    values: [
      integrationId,
      ...columnsOf(rows, 'receivedAt', 'reason', 'event', 'forgeDeliveryId', 'address'),
    ],
  });
}

const columns = `delivery_no::text as "deliveryNo", received_at as "receivedAt", reason, event,
  forge_delivery_id as "forgeDeliveryId", address`;

/** Newest first. */
export function listUnqueued(
  tx: Tx,
  integrationId: string,
  before: string | undefined,
  { from, to }: DeliveryTimes,
  limit: number,
): Promise<UnqueuedRow[]> {
  return tx.rows<UnqueuedRow>({
    text: `select ${columns} from unqueued_deliveries
           where integration_id = $1 and delivery_no < coalesce($2::bigint, 9223372036854775807)
             and received_at >= coalesce($3::timestamptz, '-infinity') and received_at < coalesce($4::timestamptz, 'infinity')
           order by delivery_no desc limit $5`,
    values: [integrationId, before, from, to, limit],
  });
}

export function readUnqueued(
  tx: Tx,
  integrationId: string,
  deliveryNos: readonly string[],
): Promise<UnqueuedRow[]> {
  return tx.rows<UnqueuedRow>({
    text: `select ${columns} from unqueued_deliveries where integration_id = $1 and delivery_no = any ($2::bigint[])`,
    values: [integrationId, deliveryNos],
  });
}

/** At most `most` of those whose delivery id lies in the range, in no order. */
export function findUnqueued(
  tx: Tx,
  integrationId: string,
  { from, to }: IdRange,
  most: number,
): Promise<string[]> {
  return tx.column<string>({
    text: `select delivery_no::text as id from unqueued_deliveries
           where integration_id = $1 and forge_delivery_id >= $2 and forge_delivery_id < $3 limit $4`,
    values: [integrationId, from, to, most],
  });
}

/** Deletes those older than `before`, and of each reason all but the newest `kept`. Returns how many, up to `most`. */
export function deleteUnqueued(
  tx: Tx,
  integrationId: string,
  before: Date,
  kept: number,
  most: number,
): Promise<number> {
  return tx.execute({
    text: `delete from unqueued_deliveries where integration_id = $1 and delivery_no = any (array(
             select delivery_no from (
               select delivery_no, received_at, row_number() over (partition by reason order by delivery_no desc) as place
               from unqueued_deliveries where integration_id = $1) d
             where place > $2 or received_at < $3 limit $4))`,
    values: [integrationId, kept, before, most],
  });
}
