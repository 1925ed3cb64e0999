import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { Registry } from 'prom-client';
import { openDatabase, type Database } from '#platform/database/database.ts';
import { roleConnection } from '#platform/database/migrate.ts';
import { makeSealer } from '#platform/runtime/sealing.ts';
import { buildWebhookMessage } from '#server/queue/message.ts';
import { makePostgresQueue } from '#server/queue/postgres/engine.ts';
import { makeWakeUp } from '#server/queue/postgres/wake-up.ts';
import type { Queue } from '#server/queue/queue.ts';
import { makePush } from '#server/realtime/push.ts';
import { createSimulator } from '#server/simulate/lifecycle.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { makeEventCounter } from '#server/worker/event-counter.ts';
import { makeWorker } from '#server/worker/run.ts';
import { prepareTargets } from './ingress.ts';
import type { Bench } from './types.ts';

/** Batches in progress at once, and connections of the ceiling. */
export const concurrency = 2;

export interface BenchEvent {
  integrationId: string;
  event: SimulatedEvent;
}

export interface Pipeline {
  databaseUrl: string;
  integrationIds: string[];
  /** Queues the events; resolves when all are durable. */
  fill(events: readonly BenchEvent[]): Promise<void>;
  /** Lets the worker empty the queue; events a second. */
  drain(count: number): Promise<number>;
}

/** The worker half in this process, on a database of its own. */
export async function makePipeline(bench: Bench, integrations: number): Promise<Pipeline> {
  const { databaseUrl, targets } = await prepareTargets(
    bench,
    `pipeline_${integrations}_${Date.now()}`,
    integrations,
  );
  const log = pino({ level: 'silent' });
  const sealer = makeSealer([bench.masterKey]);
  const open = (role: 'forgewatch_api' | 'forgewatch_worker'): Database => {
    const database = openDatabase({
      connection: roleConnection(databaseUrl, role, bench.masterKey),
      maxConnections: 8,
      onIdleError: () => {},
    });
    bench.onEnd(() => database.close());
    return database;
  };
  const options = { sealer, log, visibilityTimeoutMs: 45_000, retentionDays: 90, wakeUp: makeWakeUp() };
  const sender = makePostgresQueue({ ...options, db: open('forgewatch_api') });
  const workerDb = open('forgewatch_worker');
  const queue = makePostgresQueue({ ...options, db: workerDb });
  return {
    databaseUrl,
    integrationIds: targets.map(({ integrationId }) => integrationId),
    fill: (events) => fill(sender, events),
    drain: async (count) => {
      let done = 0;
      const counted = makeEventCounter(new Registry());
      const push = makePush({ db: workerDb, log });
      const worker = makeWorker({
        db: workerDb,
        queue,
        log,
        clock: Date.now,
        concurrency,
        timeoutMs: 30_000,
        loadLargePayload: async () => undefined,
        afterCommit: push.publish,
        count: (counts, failures) => {
          done += counts.stored + counts.stale + failures.length;
          counted(counts, failures);
        },
      });
      const startedAt = performance.now();
      await worker.start();
      while (done < count) await delay(2);
      const seconds = (performance.now() - startedAt) / 1000;
      await worker.stop();
      return count / seconds;
    },
  };
}

async function fill(sender: Queue, events: readonly BenchEvent[]): Promise<void> {
  const waves = Array.from({ length: Math.ceil(events.length / 250) }, (_, index) =>
    events.slice(index * 250, (index + 1) * 250),
  );
  for (const wave of waves) {
    await Promise.all(
      wave.map(({ integrationId, event }) =>
        sender.send({
          groupId: integrationId,
          deduplicationId: event.deliveryId,
          body: buildWebhookMessage({
            eventType: event.eventType,
            integrationId,
            deliveryId: event.deliveryId,
            receivedAt: new Date(),
            payload: Buffer.from(JSON.stringify(event.payload)),
          }),
        }),
      ),
    );
  }
}

let seed = 0;

/** The same number of fresh events for each integration, mixed as they would come in. */
export function freshEvents(integrationIds: readonly string[], each: number): BenchEvent[] {
  seed += 1;
  const streams = integrationIds.map((integrationId, index) => ({
    integrationId,
    events: [
      ...createSimulator({ seed: `bench/${seed}/${index}`, startAt: new Date() })
        .stream({ open: 4 })
        .take(each),
    ],
  }));
  return Array.from({ length: each }, (_, turn) =>
    streams.map(({ integrationId, events }) => ({ integrationId, event: events[turn] as SimulatedEvent })),
  ).flat();
}
