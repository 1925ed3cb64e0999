import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { bodyAt, openSegment } from '../messages/segment.ts';
import { maxMessageBytes } from '../policy.ts';
import {
  LeaseLostError,
  type MessageFailure,
  type QueueRecord,
  type Claim,
  type ReceiveOptions,
} from '../queue.ts';
import type { AppendDeps, OpenedSegments } from './append.ts';
import { replaceDeadLetterBody } from './dead-letters/dead-letter-store.ts';
import { ownSegment } from './separate-bodies.ts';
import { claimMessages, giveBackLease, settleLease, type FailedMessage, type MessageRow } from './store.ts';
import type { Handover, WakeUp } from './wake-up.ts';

export interface ReceiverDeps extends AppendDeps {
  opened: OpenedSegments;
  wakeUp: WakeUp;
  visibilityTimeoutMs: number;
  /** Leases of this process that are not settled. */
  leases: Set<string>;
}

/** Claims at once, or after a wake-up. Without messages it sleeps until a wake-up or the end of the wait, and claims again. */
export async function receiveMessages(
  deps: ReceiverDeps,
  { maxMessages, waitMs, signal, waitsFirst = false }: ReceiveOptions,
): Promise<Claim | undefined> {
  const { db, wakeUp, visibilityTimeoutMs } = deps;
  const deadline = Date.now() + waitMs;
  if (waitsFirst) {
    const handover = await wakeUp.sleep(waitMs, signal, maxMessages);
    if (handover !== undefined) return makeClaim(deps, handover, { leaves: true });
  }
  while (!signal.aborted) {
    const lease = randomUUID();
    // Entries that the cache drops during the claim are still needed.
    const opened = new Map(deps.opened.entries());
    const rows = await claimMessages(db, maxMessages, visibilityTimeoutMs, lease, [...opened.keys()]);
    // More messages may wait: wake another receiver.
    if (rows.length === maxMessages) wakeUp.wakeOne();
    if (rows.length > 0) {
      const claim = await makeClaim(deps, { lease, rows, opened }, { leaves: false });
      if (claim.records.length > 0) return claim;
      await claim.settle([]);
      continue;
    }
    // Nothing waits, so no segment is needed.
    deps.opened.clear();
    const left = deadline - Date.now();
    if (left <= 0) return undefined;
    const handover = await wakeUp.sleep(left, signal, maxMessages);
    if (handover !== undefined) return makeClaim(deps, handover, { leaves: true });
  }
  return undefined;
}

/**
 * A message that cannot be opened is not in the claim's records. It fails when the claim is settled. With `leaves`, groups without
 * messages leave the line when it is settled: those of a handover were idle before, so most are idle again.
 */
async function makeClaim(
  deps: ReceiverDeps,
  { lease, rows, opened }: Handover,
  { leaves }: { leaves: boolean },
): Promise<Claim> {
  const { db, leases, wakeUp } = deps;
  let isLast = false;
  leases.add(lease);
  const rowOf = new Map(rows.map((row) => [row.seq, row]));
  const groups = [...new Set(rows.map(({ groupNo }) => groupNo))];
  const { records, unreadable } = await openMessages(deps, rows, opened);
  const settle = async (tx: Tx, failures: readonly MessageFailure[]): Promise<void> => {
    isLast = false;
    const failed = [...failures, ...unreadable].flatMap(({ messageId, reason, detail }): FailedMessage[] => {
      const groupNo = rowOf.get(messageId)?.groupNo;
      return groupNo === undefined ? [] : [{ groupNo, seq: messageId, reason, detail: detail ?? null }];
    });
    const settled = sentAhead(settleLease(tx, lease, groups, failed, leaves));
    // Sent without waiting, so that a commit can follow at once.
    for (const { messageId } of failures) {
      const row = rowOf.get(messageId);
      const segment = row && opened.get(row.segmentId);
      if (segment) replaceDeadLetterBody(tx, messageId, ownSegment(deps.sealer, segment, row));
    }
    try {
      isLast = await settled;
    } catch (error) {
      throw (error as { code?: string }).code === 'FW001' ? new LeaseLostError('the lease ran out') : error;
    } finally {
      // Not before: the statement waits for those before it, and a pause meanwhile must not end the lease.
      leases.delete(lease);
    }
  };
  return {
    records,
    get isLast() {
      return isLast;
    },
    settle: async (failures, tx) => {
      // With `tx`, the caller receives again after its commit. The group has no free messages before.
      if (tx !== undefined) return settle(tx, failures);
      await db.withScope('service', (own) => settle(own, failures));
      if (!isLast) wakeUp.wakeOne();
    },
    giveBack: async () => {
      await db
        .withScope('service', (own) => giveBackLease(own, lease, groups))
        .finally(() => leases.delete(lease));
    },
  };
}

const notReadable = {
  reason: 'unreadable',
  detail: 'the stored body was changed, or sealed with a key that ENCRYPTION_KEY does not list',
};

async function openMessages(
  { sealer, opened: kept }: ReceiverDeps,
  rows: readonly MessageRow[],
  opened: Map<string, Buffer>,
): Promise<{ records: QueueRecord[]; unreadable: MessageFailure[] }> {
  const records: QueueRecord[] = [];
  const unreadable: MessageFailure[] = [];
  let bytesOfTurn = 0;
  for (const row of rows) {
    try {
      if (row.segment !== null) {
        // Another claim may have opened it meanwhile.
        const plain = kept.get(row.segmentId) ?? openSegment(sealer, row.segment);
        opened.set(row.segmentId, plain);
        kept.set(row.segmentId, plain);
        bytesOfTurn += plain.length;
      }
      records.push(toRecord(row, opened.get(row.segmentId)));
      bytesOfTurn += row.length;
    } catch {
      unreadable.push({ messageId: row.seq, ...notReadable });
    }
    if (bytesOfTurn < maxMessageBytes) continue;
    bytesOfTurn = 0;
    await nextTurn();
  }
  return { records, unreadable };
}

/** @throws when the segment could not be opened, or holds another message. */
function toRecord(row: MessageRow, segment: Buffer | undefined): QueueRecord {
  if (segment === undefined) throw new Error('the segment is missing');
  const body = bodyAt(segment, row.groupId, row);
  return {
    messageId: row.seq,
    // The texts of all messages of a claim together would outlive collections of young objects.
    get body() {
      return body.toString('utf8');
    },
    attributes: {
      MessageGroupId: row.groupId,
      MessageDeduplicationId: row.deduplicationId,
      SentTimestamp: String(row.acceptedAt.getTime()),
      ApproximateReceiveCount: String(row.receiveCount),
    },
  };
}
