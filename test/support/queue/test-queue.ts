import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after } from 'node:test';
import pino from 'pino';
import { makeSealer, type Sealer } from '#platform/runtime/secrets/sealing.ts';
import { makePostgresQueue, type PostgresQueueOptions } from '#server/queue/postgres/engine.ts';
import type { Queue, Claim } from '#server/queue/queue.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts';

export interface TestQueue {
  database: TestDatabase;
  sealer: Sealer;
  /** Options of `queue`. */
  options: PostgresQueueOptions;
  /** Leases outlast every test and nothing sweeps. Tests change times and call the sweep themselves. */
  queue: Queue;
  /** Another queue on the same tables, as in a second process. Not started. */
  open(options?: Partial<PostgresQueueOptions>): Queue;
  /** Sends `text` as JSON with a new delivery ID. */
  send(groupId: string, text: string): Promise<void>;
  /** Fails when the queue is empty. */
  take(): Promise<Claim>;
  /** The texts of all waiting messages, in order of receipt. */
  drain(): Promise<string[]>;
}

/** A queue in its own database. */
export async function createTestQueue(): Promise<TestQueue> {
  const database = await createTestDatabase();
  const sealer = makeSealer([randomBytes(32)]);
  const options: PostgresQueueOptions = {
    db: database.worker,
    sealer,
    log: pino({ level: 'silent' }),
    visibilityTimeoutMs: 600_000,
    retentionDays: 90,
  };
  const open: TestQueue['open'] = (different) => makePostgresQueue({ ...options, ...different });
  const queue = open();
  after(() => queue.stop());
  const receive = () => queue.receive({ maxMessages: 10, waitMs: 0, signal: new AbortController().signal });
  return {
    database,
    sealer,
    options,
    queue,
    open,
    send: async (groupId, text) => {
      const body = Buffer.from(JSON.stringify(text));
      assert.equal(await queue.send({ groupId, deduplicationId: randomUUID(), body }), 'queued');
    },
    take: async () => {
      const batch = await receive();
      assert.ok(batch, 'nothing was received');
      return batch;
    },
    drain: async () => {
      const texts: string[] = [];
      for (let batch = await receive(); batch !== undefined; batch = await receive()) {
        texts.push(...batch.records.map(({ body }) => JSON.parse(body) as string));
        await batch.settle([]);
      }
      return texts;
    },
  };
}
