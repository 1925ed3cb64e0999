import type { Tx } from '#platform/database/database.ts';
import type { Place } from '#server/queue/messages/segment.ts';

export interface DeliveryTimes {
  from?: string | undefined;
  to?: string | undefined;
}

/** Ids from `from` on, up to `to`, which is not among them; in the order of their bytes. */
export interface IdRange {
  from: string;
  to: string;
}

/** A message of the queue. Its body is at a place in its segment. */
export interface StoredDelivery extends Place {
  seq: string;
  deduplicationId: string;
  acceptedAt: Date;
  isDead: boolean;
  isDone: boolean;
  isLeased: boolean;
  segmentId: string;
}

const columns = `m.seq::text, m.deduplication_id as "deduplicationId", m.accepted_at as "acceptedAt",
  m.is_dead as "isDead", m.seq <= g.done_seq as "isDone", g.lease_until is not null and m.seq <= g.lease_hi as "isLeased",
  m.segment_id as "segmentId", m.body_start as start, m.body_length as length`;

/** The group of the integration in scope. Row-level security shows no other. */
const group = `queue_group g where g.group_id = scope_integration_id()::text`;

/** Newest first. Messages outside the times are not read. */
export function listStoredDeliveries(
  tx: Tx,
  before: string | undefined,
  { from, to }: DeliveryTimes,
  limit: number,
): Promise<StoredDelivery[]> {
  return tx.rows<StoredDelivery>({
    // The limits are computed first: with row-level security, `coalesce` in the condition would prevent the index scan.
    text: `select ${columns}
           from (
             select g.*,
               coalesce(case when $2::timestamptz is not null then delivery_seq_at($2) end, 0) as first_seq,
               coalesce(least($1::bigint, case when $3::timestamptz is not null then delivery_seq_at($3) end),
                 9223372036854775807) as last_seq
             from (select group_no, done_seq, lease_until, lease_hi from ${group}) g offset 0) g
           cross join lateral (
             select seq, deduplication_id, accepted_at, is_dead, segment_id, body_start, body_length from queue_message q
             where q.group_no = g.group_no and q.seq >= g.first_seq and q.seq < g.last_seq
               and q.accepted_at >= coalesce($2, '-infinity') and q.accepted_at < coalesce($3, 'infinity')
             order by q.seq desc limit $4) m
           order by m.seq desc`,
    values: [before, from, to, limit],
  });
}

export function readStoredDeliveries(tx: Tx, seqs: readonly string[]): Promise<StoredDelivery[]> {
  return tx.rows<StoredDelivery>({
    text: `select ${columns} from (select group_no, done_seq, lease_until, lease_hi from ${group}) g
           join queue_message m on m.group_no = g.group_no and m.seq = any ($1::bigint[])
           order by m.seq desc`,
    values: [seqs],
  });
}

/** The sealed segments of messages of the integration in scope. They may hold messages of others. */
export function readSegments(tx: Tx, seqs: readonly string[]): Promise<{ id: string; sealed: Buffer }[]> {
  return tx.rows<{ id: string; sealed: Buffer }>(
    'select segment_id as id, body as sealed from delivery_segments($1)',
    [seqs],
  );
}

/** Messages whose delivery id lies in the range, in no order: at most `most`, and as many dead ones. */
export async function findDeliveries(tx: Tx, { from, to }: IdRange, most: number): Promise<string[]> {
  const part = (isDead: string) => `(
    select m.seq::text from queue_message m
    where m.group_no = (select g.group_no from ${group}) and ${isDead}
      and m.deduplication_id >= $1 collate "C" and m.deduplication_id < $2 collate "C" limit $3)`;
  return tx.column<string>({
    // An index for each part stops after its limit.
    text: `${part('not m.is_dead')} union all ${part('m.is_dead')}`,
    values: [from, to, most],
  });
}

/** Part of a sealed payload that is stored separately. Undefined when it was deleted or belongs to another scope. */
export function readPayloadPart(
  tx: Tx,
  payloadRef: string,
  start: number,
  length: number,
): Promise<Buffer | undefined> {
  return tx.value<Buffer>({
    text: 'select substr(body, $2, $3) as part from large_payload where payload_id = $1',
    // Postgres counts from 1.
    values: [payloadRef, start + 1, length],
  });
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
    text: `select d.message_id::text as seq, d.reason, d.detail, d.dead_at as "deadAt", null as ended,
             null::timestamptz as "endedAt", null as successor
           from dead_letter d where d.message_id = any ($1::bigint[])
           union all
           select m.seq::text, m.dead_letter_end ->> 'reason', m.dead_letter_end ->> 'detail',
             (m.dead_letter_end ->> 'dead_at')::timestamptz, m.dead_letter_end ->> 'end',
             (m.dead_letter_end ->> 'ended_at')::timestamptz, m.dead_letter_end ->> 'successor'
           from queue_message m
           where m.group_no = (select g.group_no from ${group}) and m.seq = any ($1) and m.dead_letter_end is not null`,
    values: [seqs],
  });
  return new Map(rows.map(({ seq, ...death }) => [seq, death]));
}

/** Whether the transaction has an integration scope. A user who is not a member has none. */
export async function isScopeOpen(tx: Tx): Promise<boolean> {
  const open = await tx.value<boolean>('select scope_integration_id() is not null as open');
  return open ?? false;
}
