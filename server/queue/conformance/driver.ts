import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { batchSize } from '../policy.ts';
import type { DeadLetter, Queue, QueueRecord, Claim, EnqueueResult } from '../queue.ts';

/** Shorthands of the conformance suite for the `Queue` interface. */
export interface QueueDriver {
  send(groupId: string, text: string, deduplicationId?: string): Promise<EnqueueResult>;
  /** Waits up to 5 s by default. */
  receive(waitMs?: number): Promise<Claim | undefined>;
  /** Fails when no message arrives. */
  receiveSome(): Promise<Claim>;
  /** Receives all messages batch by batch. Returns the texts of each group in the order received. */
  drain(): Promise<Map<string, string[]>>;
  deadLettersOf(groupId: string): Promise<DeadLetter[]>;
}

const never = new AbortController().signal;

export function driveQueue(queue: Queue): QueueDriver {
  const receive = (waitMs = 5000) => queue.receive({ maxMessages: batchSize, waitMs, signal: never });
  return {
    send: (groupId, text, deduplicationId = randomUUID()) =>
      queue.send({ groupId, deduplicationId, body: Buffer.from(JSON.stringify(text)) }),
    receive,
    receiveSome: async () => {
      const batch = await receive();
      assert.ok(batch, 'nothing was received');
      return batch;
    },
    drain: async () => {
      const received = new Map<string, string[]>();
      for (let batch = await receive(0); batch !== undefined; batch = await receive(0)) {
        assert.ok(batch.records.length <= batchSize);
        for (const record of batch.records)
          received.set(groupOf(record), [...(received.get(groupOf(record)) ?? []), textOf(record)]);
        await batch.settle([]);
      }
      return received;
    },
    deadLettersOf: (groupId) => queue.deadLetters.list({ groupId }),
  };
}

export function textOf(record: QueueRecord): string {
  return JSON.parse(record.body) as string;
}

export function groupOf(record: QueueRecord): string {
  return record.attributes.MessageGroupId;
}
