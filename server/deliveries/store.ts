import type { Tx } from '#platform/database/database.ts';
import type { DeliveryTimes, IdRange } from './ranges.ts';

/** A message of the queue with its sealed body. */
export interface StoredDelivery {
  seq: string;
  deduplicationId: string;
  acceptedAt: Date;
  isDead: boolean;
  isDone: boolean;
  isLeased: boolean;
  body: Buffer;
}

const columns = `seq::text, deduplication_id as "deduplicationId", accepted_at as "acceptedAt", is_dead as "isDead",
  is_done as "isDone", is_leased as "isLeased", body`;

/** The queue's functions show the messages of the integration in the transaction's scope alone. Newest first. */
export async function listStoredDeliveries(
  tx: Tx,
  before: string | undefined,
  { from, to }: DeliveryTimes,
  limit: number,
): Promise<StoredDelivery[]> {
  const { rows } = await tx.query<StoredDelivery>({
    text: `select ${columns} from delivery_list($1, $2, $3, $4)`,
    values: [before, from, to, limit],
  });
  return rows;
}

export async function readStoredDeliveries(tx: Tx, seqs: readonly string[]): Promise<StoredDelivery[]> {
  const { rows } = await tx.query<StoredDelivery>({
    text: `select ${columns} from delivery_read($1::bigint[])`,
    values: [seqs],
  });
  return rows;
}

/** Messages whose delivery id lies in the range, in no order: at most `most`, and as many dead ones. */
export async function findDeliveries(tx: Tx, { from, to }: IdRange, most: number): Promise<string[]> {
  const { rows } = await tx.query<{ seq: string }>({
    text: `select seq::text from delivery_find($1, $2, $3) f (seq)`,
    values: [from, to, most],
  });
  return rows.map(({ seq }) => seq);
}

/** Part of a sealed payload that is stored separately. Undefined when it was deleted or belongs to another scope. */
export async function readPayloadPart(
  tx: Tx,
  payloadRef: string,
  start: number,
  length: number,
): Promise<Buffer | undefined> {
  const { rows } = await tx.query<{ part: Buffer | null }>({
    text: 'select delivery_payload_part($1, $2, $3) as part',
    // Postgres counts from 1.
    values: [payloadRef, start + 1, length],
  });
  return rows[0]?.part ?? undefined;
}

export interface Death {
  reason: string;
  detail: string | null;
  deadAt: Date;
  /** How it left the dead-letter queue. Null while it is there. */
  ended: 'redriven' | 'dropped' | 'forgotten' | null;
  endedAt: Date | null;
  /** The message that replaced a redriven one. */
  successor: string | null;
}

/** Why messages are dead, by message. */
export async function listDeaths(tx: Tx, seqs: readonly string[]): Promise<Map<string, Death>> {
  if (seqs.length === 0) return new Map();
  const { rows } = await tx.query<Death & { seq: string }>({
    text: `select seq::text, reason, detail, dead_at as "deadAt", ended, ended_at as "endedAt", successor::text
           from delivery_death($1::bigint[])`,
    values: [seqs],
  });
  return new Map(rows.map(({ seq, ...death }) => [seq, death]));
}

/** Whether the transaction has an integration scope. A user who is not a member has none. */
export async function isScopeOpen(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ open: boolean }>('select scope_integration_id() is not null as open');
  return rows[0]?.open ?? false;
}
