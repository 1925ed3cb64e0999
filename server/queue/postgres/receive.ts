import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { decodeBody } from '../messages/body-coding.ts';
import { batchSize, maxMessageBytes } from '../policy.ts';
import {
  LeaseLostError,
  type MessageFailure,
  type QueueRecord,
  type Claim,
  type ReceiveOptions,
} from '../queue.ts';
import { claimMessages, giveBackLease, settleLease, type FailedMessage, type MessageRow } from './store.ts';
import type { WakeUp } from './wake-up.ts';

export interface ReceiverDeps {
  db: Database;
  sealer: Sealer;
  wakeUp: WakeUp;
  visibilityTimeoutMs: number;
}

/** Claims at once. Without messages it sleeps until a wake-up or the end of the wait, and claims again. */
export async function receiveMessages(
  deps: ReceiverDeps,
  options: ReceiveOptions,
): Promise<Claim | undefined> {
  const { maxMessages, waitMs, signal } = options;
  const deadline = Date.now() + waitMs;
  while (!signal.aborted) {
    const lease = randomUUID();
    // Forges wait for sends, but no request waits for a claim. While a send is in progress, a claim is limited to one batch.
    const most = deps.wakeUp.isSending() ? Math.min(maxMessages, batchSize) : maxMessages;
    const rows = await claimMessages(deps.db, most, deps.visibilityTimeoutMs, lease);
    // More messages may wait: wake another receiver.
    if (rows.length === most) deps.wakeUp.wakeOne();
    const claim = await makeClaim(deps, lease, rows);
    if (claim.records.length > 0) return claim;
    if (rows.length > 0) {
      await claim.settle([]);
      continue;
    }
    const left = deadline - Date.now();
    if (left <= 0) return undefined;
    await deps.wakeUp.sleep(left, signal);
  }
  return undefined;
}

/** A message that cannot be opened is not in the claim's records. It fails when the claim is settled. */
async function makeClaim(
  { db, sealer, wakeUp }: ReceiverDeps,
  lease: string,
  rows: MessageRow[],
): Promise<Claim> {
  const groupOf = new Map(rows.map((row) => [row.seq, row.group_no]));
  const groups = [...new Set(groupOf.values())];
  const unreadable: MessageFailure[] = [];
  const records: QueueRecord[] = [];
  let bytesOfTurn = 0;
  for (const row of rows) {
    try {
      const record = toRecord(sealer, row);
      records.push(record);
      bytesOfTurn += record.body.length;
    } catch {
      unreadable.push({ messageId: row.seq, ...notReadable });
    }
    if (bytesOfTurn < maxMessageBytes) continue;
    bytesOfTurn = 0;
    await nextTurn();
  }
  const settle = async (tx: Tx, failures: readonly MessageFailure[]): Promise<void> => {
    const failed = [...failures, ...unreadable].flatMap(({ messageId, reason, detail }): FailedMessage[] => {
      const groupNo = groupOf.get(messageId);
      return groupNo === undefined ? [] : [{ groupNo, seq: messageId, reason, detail: detail ?? null }];
    });
    await settleLease(tx, lease, groups, failed).catch((error: unknown) => {
      throw (error as { code?: string }).code === 'FW001' ? new LeaseLostError('the lease ran out') : error;
    });
  };
  return {
    records,
    settle: async (failures, tx) => {
      // With `tx`, the caller receives again after its commit. The group has no free messages before.
      if (tx !== undefined) return settle(tx, failures);
      await db.withScope('service', (own) => settle(own, failures));
      wakeUp.wakeOne();
    },
    giveBack: () => db.withScope('service', (own) => giveBackLease(own, lease, groups)),
  };
}

const notReadable = {
  reason: 'unreadable',
  detail: 'the stored body was changed, or sealed with a key that ENCRYPTION_KEY does not list',
};

/** @throws when the body cannot be opened. */
function toRecord(sealer: Sealer, row: MessageRow): QueueRecord {
  return {
    messageId: row.seq,
    body: decodeBody(sealer, row.group_id, row.body).toString('utf8'),
    attributes: {
      MessageGroupId: row.group_id,
      MessageDeduplicationId: row.deduplication_id,
      SentTimestamp: String(row.accepted_at.getTime()),
      ApproximateReceiveCount: String(row.receive_count),
    },
  };
}
