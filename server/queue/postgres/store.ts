import type { Database, Tx } from '#platform/database/database.ts';
import type { CodedBody } from '../body-coding.ts';

export interface MessageRow {
  seq: string;
  group_id: string;
  deduplication_id: string;
  accepted_at: Date;
  encoding: number;
  body: Buffer;
}

export interface EncodedMessage {
  groupId: string;
  deduplicationId: string;
  coded: CodedBody;
}

/** Appends all of them in one statement, which is its own transaction; true for each that is no duplicate. */
export async function appendMessages(db: Database, messages: readonly EncodedMessage[]): Promise<boolean[]> {
  let offset = 1;
  const offsets = messages.map(({ coded }) => {
    offset += coded.bytes.length;
    return offset - coded.bytes.length;
  });
  const { rows } = await db.statement<{ accepted: boolean[] }>({
    name: 'queue-send',
    text: 'select queue_send($1, $2, $3, $4, $5, $6) as accepted',
    values: [
      messages.map(({ groupId }) => groupId),
      messages.map(({ deduplicationId }) => deduplicationId),
      messages.map(({ coded }) => coded.encoding),
      offsets,
      messages.map(({ coded }) => coded.bytes.length),
      Buffer.concat(messages.map(({ coded }) => coded.bytes)),
    ],
  });
  return rows[0]?.accepted ?? [];
}

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
  groupId: string;
  seq: string;
  reason: string;
  detail: string | null;
}

/** Raises SQLSTATE FW001 when the lease is lost. */
export async function settleLease(
  tx: Tx,
  lease: string,
  groupIds: string[],
  failed: readonly FailedMessage[],
): Promise<void> {
  await tx.query({
    name: 'queue-settle',
    text: 'select queue_settle($1, $2, $3, $4, $5, $6)',
    values: [
      lease,
      groupIds,
      failed.map(({ groupId }) => groupId),
      failed.map(({ seq }) => seq),
      failed.map(({ reason }) => reason),
      failed.map(({ detail }) => detail),
    ],
  });
}

export async function reapLeases(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'queue-reap',
    text: 'select queue_reap() as count',
  });
  return rows[0]?.count ?? 0;
}

export async function expireMessages(tx: Tx, retentionMs: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'queue-expire',
    text: "select queue_expire($1 * interval '1 ms') as count",
    values: [retentionMs],
  });
  return rows[0]?.count ?? 0;
}

export async function forgetOld(tx: Tx, deduplicationMs: number, deadLetterMs: number): Promise<void> {
  await tx.query("select queue_forget($1 * interval '1 ms', $2 * interval '1 ms')", [
    deduplicationMs,
    deadLetterMs,
  ]);
}

export async function keepPartitions(tx: Tx, retentionDays: number): Promise<void> {
  await tx.query("select queue_keep_partitions($1 * interval '1 day')", [retentionDays]);
}

export async function readDepth(tx: Tx): Promise<{ ready: number; inFlight: number; dead: number }> {
  const { rows } = await tx.query<{ ready: string; in_flight: string; dead: string }>(
    'select * from queue_depth()',
  );
  const row = rows[0];
  return { ready: Number(row?.ready), inFlight: Number(row?.in_flight), dead: Number(row?.dead) };
}

export async function announceMessages(tx: Tx): Promise<void> {
  await tx.query("select pg_notify('queue_ready', '')");
}
