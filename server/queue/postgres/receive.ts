import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/sealing.ts';
import { decodeBody } from '../body-coding.ts';
import {
  LeaseLostError,
  type MessageFailure,
  type QueueRecord,
  type ReceivedBatch,
  type ReceiveOptions,
} from '../queue.ts';
import { claimMessages, settleLease, type FailedMessage, type MessageRow } from './store.ts';
import type { WakeUp } from './wake-up.ts';

export interface ReceiverDeps {
  db: Database;
  sealer: Sealer;
  wakeUp: WakeUp;
  visibilityTimeoutMs: number;
}

/** Claims at once when something is there, else sleeps until a wake-up, and claims once more at the end of the wait. */
export async function receiveBatch(
  deps: ReceiverDeps,
  options: ReceiveOptions,
): Promise<ReceivedBatch | undefined> {
  const { maxMessages, waitMs, signal } = options;
  const deadline = Date.now() + waitMs;
  while (!signal.aborted) {
    const lease = randomUUID();
    const rows = await claimMessages(deps.db, maxMessages, deps.visibilityTimeoutMs, lease);
    if (rows.length > 0) {
      // There may be more than one batch: pass the wake-up on.
      if (rows.length === maxMessages) deps.wakeUp.wakeOne();
      return makeBatch(deps, lease, rows);
    }
    const left = deadline - Date.now();
    if (left <= 0) return undefined;
    await deps.wakeUp.sleep(left, signal);
  }
  return undefined;
}

function makeBatch({ db, sealer, wakeUp }: ReceiverDeps, lease: string, rows: MessageRow[]): ReceivedBatch {
  const groups = [...new Set(rows.map((row) => row.group_id))];
  const groupOf = new Map(rows.map((row) => [row.seq, row.group_id]));
  const settle = async (tx: Tx, failures: readonly MessageFailure[]): Promise<void> => {
    const failed = failures.flatMap(({ messageId, reason, detail }): FailedMessage[] => {
      const groupId = groupOf.get(messageId);
      return groupId === undefined ? [] : [{ groupId, seq: messageId, reason, detail: detail ?? null }];
    });
    await settleLease(tx, lease, groups, failed).catch((error: unknown) => {
      throw (error as { code?: string }).code === 'FW001' ? new LeaseLostError('the lease ran out') : error;
    });
  };
  return {
    records: rows.map((row) => toRecord(sealer, row)),
    settle: async (failures, tx) => {
      await (tx === undefined
        ? db.withScope('service', (own) => settle(own, failures))
        : settle(tx, failures));
      wakeUp.wakeOne();
    },
  };
}

/** A body that does not open any more is given out empty: it ends in the dead letters and the group goes on. */
export function toRecord(sealer: Sealer, row: MessageRow): QueueRecord {
  return {
    messageId: row.seq,
    body: openBody(sealer, row),
    attributes: {
      MessageGroupId: row.group_id,
      MessageDeduplicationId: row.deduplication_id,
      SentTimestamp: String(row.accepted_at.getTime()),
      ApproximateReceiveCount: '1',
    },
  };
}

function openBody(sealer: Sealer, row: MessageRow): string {
  try {
    return decodeBody(sealer, row.group_id, { encoding: row.encoding, bytes: row.body }).toString('utf8');
  } catch {
    return '';
  }
}
