import type { Database, Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { Place } from '../messages/segment.ts';
import { batchSize, claimBytes, deduplicationMs, messageRetentionMs, sendTimeoutMs } from '../policy.ts';
import type { OutgoingMessage, QueueDepth } from '../queue.ts';

export interface MessageRow extends Place {
  seq: string;
  groupNo: number;
  groupId: string;
  deduplicationId: string;
  acceptedAt: Date;
  /** More than one when an earlier worker did not settle the message. */
  receiveCount: number;
  segmentId: string;
  /** The sealed segment, with its first message. */
  segment: Buffer | null;
}

/** Asks to lease the messages whose group is idle. */
export interface LeaseRequest {
  lease: string;
  visibilityMs: number;
}

/** Nothing was appended: one of the messages is a duplicate. */
type Refused = { segment: null; isFresh: readonly boolean[] };

interface AddedRow {
  segment: string | null;
  isFresh: boolean[];
  acceptedAt: Date;
  numbers: number[];
  seqs: string[];
  leased: number[] | null;
}

/**
 * Appends the messages of a segment in one statement with its own transaction, or nothing if one of them is a duplicate. The
 * messages must differ in group or deduplication id.
 */
export async function appendSegment(
  db: Pick<Database, 'statement'>,
  messages: readonly Pick<OutgoingMessage, 'groupId' | 'deduplicationId'>[],
  places: readonly Place[],
  sealed: Buffer,
  request?: LeaseRequest,
): Promise<{ segment: string; leased: MessageRow[] } | Refused> {
  const groups = [...new Set(messages.map(({ groupId }) => groupId))];
  const placeOf = new Map(groups.map((groupId, index) => [groupId, index + 1]));
  const groupOf = messages.map(({ groupId }) => placeOf.get(groupId)!);
  const { rows } = await db.statement<AddedRow>({
    query_timeout: sendTimeoutMs,
    name: 'queue-send',
    text: `select segment, fresh as "isFresh", accept_at as "acceptedAt", numbers, seqs, leased
           from queue_send($1, $2, $3, $4, $5, $6, $7 * interval '1 ms', $8, $9 * interval '1 ms')`,
    values: [
      groups,
      groupOf,
      messages.map(({ deduplicationId }) => deduplicationId),
      ...columnsOf(places, 'start', 'length'),
      sealed,
      deduplicationMs,
      request?.lease,
      request?.visibilityMs,
    ],
  });
  const row = rows[0]!;
  const { segment, isFresh, acceptedAt, numbers, seqs } = row;
  if (segment === null) return { segment, isFresh };
  const leasedGroups = new Set(row.leased);
  const leased = messages.flatMap((message, index): MessageRow[] => {
    const groupNo = numbers[groupOf[index]! - 1]!;
    if (!leasedGroups.has(groupNo)) return [];
    const { groupId, deduplicationId } = message;
    const found = { seq: seqs[index]!, groupNo, groupId, deduplicationId, acceptedAt, ...places[index]! };
    return [{ ...found, receiveCount: 1, segmentId: segment, segment: null }];
  });
  return { segment, leased };
}

export interface DuplicateCheck {
  /** Pending, or processed in the last 25 hours. */
  isKnown: boolean;
  /** Number of dead letters that this delivery produced. */
  deaths: number;
}

/** In the order of the deliveries. */
export async function checkDuplicates(
  db: Database,
  deliveries: readonly Pick<OutgoingMessage, 'groupId' | 'deduplicationId'>[],
): Promise<DuplicateCheck[]> {
  const { rows } = await db.statement<DuplicateCheck>({
    name: 'queue-known',
    text: `select is_known as "isKnown", deaths from queue_known($1, $2, $3 * interval '1 ms')`,
    values: [...columnsOf(deliveries, 'groupId', 'deduplicationId'), deduplicationMs],
  });
  return rows;
}

/** One statement with its own transaction. The answer leaves out segments that are `opened`. */
export async function claimMessages(
  db: Database,
  most: number,
  visibilityMs: number,
  lease: string,
  opened: readonly string[],
): Promise<MessageRow[]> {
  const { rows } = await db.statement<MessageRow>({
    name: 'queue-claim',
    text: `select seq, group_no as "groupNo", group_id as "groupId", deduplication_id as "deduplicationId",
             accepted_at as "acceptedAt", receive_count as "receiveCount", segment_id as "segmentId", body_start as start,
             body_length as length, segment
           from queue_claim($1, $2, $3, $4 * interval '1 ms', $5, $6)`,
    values: [most, batchSize, claimBytes, visibilityMs, lease, opened],
  });
  return rows;
}

export interface FailedMessage {
  groupNo: number;
  seq: string;
  reason: string;
  detail: string | null;
}

/** With `leaves`, returns whether no group has messages that wait. Raises SQLSTATE FW001 when the lease is lost. */
export async function settleLease(
  tx: Tx,
  lease: string,
  groupNos: readonly number[],
  failed: readonly FailedMessage[],
  leaves: boolean,
): Promise<boolean> {
  const left = await tx.value<boolean>({
    name: 'queue-settle',
    text: 'select queue_settle($1, $2, $3, $4, $5, $6, $7) as left',
    values: [lease, groupNos, ...columnsOf(failed, 'groupNo', 'seq', 'reason', 'detail'), leaves],
  });
  return left ?? false;
}

export async function giveBackLease(tx: Tx, lease: string, groupNos: readonly number[]): Promise<void> {
  await tx.query('select queue_give_back($1, $2)', [lease, groupNos]);
}

/** Ends leases that no receiver has. Returns those that were found. */
export function giveBackLost(tx: Tx, leases: readonly string[]): Promise<string[]> {
  return tx.column<string>('select queue_give_back_lost($1)', [leases]);
}

export async function renewLeases(tx: Tx, leases: readonly string[], visibilityMs: number): Promise<void> {
  await tx.query("select queue_renew($1, $2 * interval '1 ms')", [leases, visibilityMs]);
}

/** Groups with an expired lease or message. */
export const expiredGroups = `select from queue_group
  where lease_until < clock_timestamp() or head_at < clock_timestamp() - interval '${messageRetentionMs} ms'`;

export async function reapLeases(tx: Tx): Promise<number> {
  return count(tx, 'select queue_reap() as count', []);
}

export async function expireMessages(tx: Tx, retentionMs: number, most: number): Promise<number> {
  return count(tx, "select queue_expire($1 * interval '1 ms', $2) as count", [retentionMs, most]);
}

export async function forgetOld(
  tx: Tx,
  deadLetterMs: number,
  largePayloadMs: number,
  most: number,
): Promise<number> {
  return count(tx, "select queue_forget($1 * interval '1 ms', $2 * interval '1 ms', $3) as count", [
    deadLetterMs,
    largePayloadMs,
    most,
  ]);
}

async function count(tx: Tx, text: string, values: unknown[]): Promise<number> {
  const count = await tx.value<number>({ text, values });
  return count ?? 0;
}

export async function makePartitions(tx: Tx): Promise<void> {
  await tx.query('select queue_make_partitions()');
}

export async function dropPartitions(tx: Tx, retentionDays: number): Promise<void> {
  await tx.query("select queue_drop_partitions($1 * interval '1 day')", [retentionDays]);
}

export async function readDepth(tx: Tx): Promise<QueueDepth> {
  const row = await tx.row<{ ready: string; in_flight: string; dead: string; oldest_seconds: number }>(
    'select * from queue_depth()',
  );
  return {
    ready: Number(row?.ready),
    inFlight: Number(row?.in_flight),
    dead: Number(row?.dead),
    oldestSeconds: row?.oldest_seconds ?? 0,
  };
}

/** A process ignores notifications with its own id in `sender`. Does not wait for the disk: receivers poll as well. */
export async function announceMessages(db: Database, sender: string): Promise<void> {
  await db.statement({
    name: 'queue-announce',
    text: "select set_config('synchronous_commit', 'off', true), pg_notify('queue_ready', $1)",
    values: [sender],
  });
}
