import type { Database, Tx } from '#platform/database/database.ts';
import { deduplicationMs } from '../policy.ts';

export interface MessageRow {
  seq: string;
  group_no: number;
  group_id: string;
  deduplication_id: string;
  accepted_at: Date;
  /** More than one when an earlier worker did not settle the message. */
  receive_count: number;
  body: Buffer;
}

export interface SealedMessage {
  groupId: string;
  deduplicationId: string;
  body: Buffer;
}

/**
 * Appends the messages in one statement with its own transaction. Returns true for each message that is not a duplicate. The
 * messages must differ in group or deduplication id.
 */
export async function appendMessages(db: Database, messages: readonly SealedMessage[]): Promise<boolean[]> {
  const groups = new Map<string, number>();
  const groupOf: number[] = [];
  const starts: number[] = [];
  let start = 1;
  for (const { groupId, body } of messages) {
    let group = groups.get(groupId);
    if (group === undefined) groups.set(groupId, (group = groups.size + 1));
    groupOf.push(group);
    starts.push(start);
    start += body.length;
  }
  const { rows } = await db.statement<{ accepted: boolean[] }>({
    name: 'queue-send',
    text: "select queue_send($1, $2, $3, $4, $5, $6, $7 * interval '1 ms') as accepted",
    values: [
      [...groups.keys()],
      groupOf,
      messages.map(({ deduplicationId }) => deduplicationId),
      starts,
      messages.map(({ body }) => body.length),
      Buffer.concat(messages.map(({ body }) => body)),
      deduplicationMs,
    ],
  });
  return rows[0]?.accepted ?? [];
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
  deliveries: readonly Pick<SealedMessage, 'groupId' | 'deduplicationId'>[],
): Promise<DuplicateCheck[]> {
  const { rows } = await db.statement<DuplicateCheck>({
    name: 'queue-known',
    text: `select is_known as "isKnown", deaths from queue_known($1, $2, $3 * interval '1 ms')`,
    values: [
      deliveries.map(({ groupId }) => groupId),
      deliveries.map(({ deduplicationId }) => deduplicationId),
      deduplicationMs,
    ],
  });
  return rows;
}

/** One statement with its own transaction. */
export async function claimMessages(
  db: Database,
  most: number,
  visibilityMs: number,
  lease: string,
): Promise<MessageRow[]> {
  const { rows } = await db.statement<MessageRow>({
    name: 'queue-claim',
    text: "select * from queue_claim($1, $2 * interval '1 ms', $3)",
    values: [most, visibilityMs, lease],
  });
  return rows;
}

export interface FailedMessage {
  groupNo: number;
  seq: string;
  reason: string;
  detail: string | null;
}

/** Raises SQLSTATE FW001 when the lease is lost. */
export async function settleLease(
  tx: Tx,
  lease: string,
  groupNos: readonly number[],
  failed: readonly FailedMessage[],
): Promise<void> {
  await tx.query({
    name: 'queue-settle',
    text: 'select queue_settle($1, $2, $3, $4, $5, $6)',
    values: [
      lease,
      groupNos,
      failed.map(({ groupNo }) => groupNo),
      failed.map(({ seq }) => seq),
      failed.map(({ reason }) => reason),
      failed.map(({ detail }) => detail),
    ],
  });
}

export async function giveBackLease(tx: Tx, lease: string, groupNos: readonly number[]): Promise<void> {
  await tx.query('select queue_give_back($1, $2)', [lease, groupNos]);
}

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
  const { rows } = await tx.query<{ count: number }>({ text, values });
  return rows[0]?.count ?? 0;
}

export async function makePartitions(tx: Tx): Promise<void> {
  await tx.query('select queue_make_partitions()');
}

export async function dropPartitions(tx: Tx, retentionDays: number): Promise<void> {
  await tx.query("select queue_drop_partitions($1 * interval '1 day')", [retentionDays]);
}

export async function readDepth(tx: Tx): Promise<{ ready: number; inFlight: number; dead: number }> {
  const { rows } = await tx.query<{ ready: string; in_flight: string; dead: string }>(
    'select * from queue_depth()',
  );
  const row = rows[0];
  return { ready: Number(row?.ready), inFlight: Number(row?.in_flight), dead: Number(row?.dead) };
}

/** A process ignores notifications with its own id in `sender`. Does not wait for the disk: receivers poll as well. */
export async function announceMessages(db: Database, sender: string): Promise<void> {
  await db.statement({
    name: 'queue-announce',
    text: "select set_config('synchronous_commit', 'off', true), pg_notify('queue_ready', $1)",
    values: [sender],
  });
}
