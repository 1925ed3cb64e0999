import { sqsBatchBytes, sqsBatchMessages, sqsConcurrentSends } from '../policy.ts';
import type { EnqueueResult } from '../queue.ts';
import { sqsMessageBytes, type SendBatch, type SqsMessage } from './send.ts';

interface Pending {
  message: SqsMessage;
  resolve(result: EnqueueResult): void;
  reject(error: unknown): void;
}

export interface BatchSender {
  send(message: SqsMessage): Promise<EnqueueResult>;
  /** Resolves when every message was sent or failed. */
  idle(): Promise<void>;
}

/**
 * Concurrent messages share calls to Amazon SQS. Several calls run at a time, but never two with the same group, so the
 * order within a group is kept.
 */
export function makeBatchSender(sendBatch: SendBatch, onSending: (isSending: boolean) => void): BatchSender {
  let pending: Pending[] = [];
  let isScheduled = false;
  const busyGroups = new Set<string>();
  const calls = new Set<Promise<void>>();

  const takeBatch = (): Pending[] => {
    const batch: Pending[] = [];
    const skippedGroups = new Set<string>();
    let bytes = 0;
    for (const one of pending) {
      const { groupId } = one.message;
      if (batch.length === sqsBatchMessages) break;
      if (busyGroups.has(groupId) || skippedGroups.has(groupId)) continue;
      const size = sqsMessageBytes(one.message);
      // A message that does not fit waits, and so do the later messages of its group.
      if (batch.length > 0 && bytes + size > sqsBatchBytes) skippedGroups.add(groupId);
      else {
        bytes += size;
        batch.push(one);
      }
    }
    const taken = new Set(batch);
    pending = pending.filter((one) => !taken.has(one));
    return batch;
  };

  const send = async (batch: Pending[]): Promise<void> => {
    try {
      const results = await sendBatch(batch.map(({ message }) => message));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (typeof result === 'string') resolve(result);
        else reject(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const startCalls = (): void => {
    isScheduled = false;
    while (calls.size < sqsConcurrentSends) {
      const batch = takeBatch();
      if (batch.length === 0) break;
      const groups = batch.map(({ message }) => message.groupId);
      for (const groupId of groups) busyGroups.add(groupId);
      const call = send(batch).then(() => {
        for (const groupId of groups) busyGroups.delete(groupId);
        calls.delete(call);
        startCalls();
      });
      calls.add(call);
    }
    if (calls.size === 0) onSending(false);
  };

  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        pending.push({ message, resolve, reject });
        onSending(true);
        // Requests that are read in the same turn of the event loop share the call.
        if (!isScheduled) setImmediate(startCalls);
        isScheduled = true;
      }),
    idle: async () => {
      while (pending.length > 0 || calls.size > 0) {
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.all(calls);
      }
    },
  };
}
