import pino from 'pino';
import { Registry } from 'prom-client';
import { openDatabase, type Database } from '#platform/database/database.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { loadConfig, type Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { makeListener } from '#platform/database/listener.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { makeRuleEvaluator } from '#server/alerts/evaluation/rule-evaluator.ts';
import { makeAppWorker } from '#server/forge-app/app-work.ts';
import { buildWebhookMessage } from '#server/queue/messages/message.ts';
import { makePostgresQueue } from '#server/queue/postgres/engine.ts';
import { makeWakeUp } from '#server/queue/postgres/wake-up.ts';
import type { Queue } from '#server/queue/queue.ts';
import { makePush } from '#server/realtime/outbox/push.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { workerEffects } from '#server/worker-effects.ts';
import { makeEventCounter } from '#server/worker/event-counter.ts';
import { makeWorker } from '#server/worker/worker.ts';
import { inTurn, median, ratioResult } from '../pairs.ts';
import { plainUpsert, type BenchEvent } from '../plain-upsert.ts';
import type { Budget, Bench } from '../types.ts';
import { prepareTargets } from '../targets.ts';

interface Pipeline {
  databaseUrl: string;
  integrationIds: string[];
  /** Concurrent batches of the worker. The upper bound gets as many connections. */
  concurrency: number;
  /** Queues the events and resolves when all are durable. */
  fill(events: readonly BenchEvent[]): Promise<void>;
  /** Lets the worker empty the queue and returns events a second. */
  drain(count: number): Promise<number>;
}

/** The worker in this process, on its own database. */
async function makePipeline(bench: Bench, integrations: number): Promise<Pipeline> {
  const config = loadConfig({});
  const { databaseUrl, integrations: created } = await prepareTargets(bench, 'pipeline', integrations);
  const log = pino({ level: 'silent' });
  const sealer = makeSealer([bench.masterKey]);
  const open = (role: 'forgewatch_api' | 'forgewatch_worker'): Database => {
    const database = openDatabase({
      connection: roleConnection(databaseUrl, role, bench.masterKey),
      maxConnections: config.databasePoolMax,
      onIdleError: () => {},
    });
    bench.onEnd(() => database.close());
    return database;
  };
  const { visibilityTimeoutMs, retentionDays, workerConcurrency: concurrency } = config;
  const options = { sealer, log, visibilityTimeoutMs, retentionDays, wakeUp: makeWakeUp() };
  const sender = makePostgresQueue({ ...options, db: open('forgewatch_api') });
  const workerDb = open('forgewatch_worker');
  const queue = makePostgresQueue({ ...options, db: workerDb });
  const listener = makeListener(workerDb.connection, log);
  const evaluator = makeRuleEvaluator({ db: workerDb, listener, log, clock: Date.now, policy: alertPolicy });
  return {
    databaseUrl,
    concurrency,
    integrationIds: created.map(({ integrationId }) => integrationId),
    fill: (events) => fill(sender, events),
    drain: (count) => drain(count, { db: workerDb, queue, log, config, evaluator }),
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

interface WorkerParts {
  db: Database;
  queue: Queue;
  log: Log;
  config: Config;
  evaluator: ReturnType<typeof makeRuleEvaluator>;
}

async function drain(count: number, { db, queue, log, config, evaluator }: WorkerParts): Promise<number> {
  const drained = Promise.withResolvers<void>();
  const push = makePush({ db, log });
  const counted = makeEventCounter(new Registry());
  let done = 0;
  const none = { enqueue: () => {} };
  const worker = makeWorker({
    db,
    queue,
    log,
    clock: Date.now,
    concurrency: config.workerConcurrency,
    timeoutMs: config.workerTimeoutMs,
    appWorker: makeAppWorker({ db, role: 'member' }),
    loadLargePayload: async () => undefined,
    inTransaction: workerEffects(evaluator, none).recordBatchEffects,
    afterCommit: push.publish,
    count: (counts, failures) => {
      counted(counts, failures);
      done += counts.stored + counts.stale;
      if (failures.length > 0) drained.reject(new Error(`${failures.length} events could not be stored`));
      if (done >= count) drained.resolve();
    },
  });
  const startedAt = performance.now();
  await worker.start();
  try {
    await drained.promise;
    return (count * 1000) / (performance.now() - startedAt);
  } finally {
    await worker.stop();
  }
}

let seed = 0;

/** The same number of new events for each integration, interleaved as they would arrive. */
function freshEvents(integrationIds: readonly string[], each: number): BenchEvent[] {
  seed += 1;
  const streams = integrationIds.map((integrationId, index) => ({
    integrationId,
    events: [
      ...createSimulator({ seed: `bench/${seed}/${index}`, startAt: new Date() })
        .stream({ rate: 0.5 })
        .take(each),
    ],
  }));
  return Array.from({ length: each }, (_, turn) =>
    streams.map(({ integrationId, events }) => ({ integrationId, event: events[turn] as SimulatedEvent })),
  ).flat();
}

const integrations = 200;
const eventsOfEach = 15;

export const p4: Budget = {
  id: 'P4',
  what: 'queued events stored, 200 integrations, against a plain upsert of the same rows',
  run: async (bench) => {
    const pipeline = await makePipeline(bench, integrations);
    let events = freshEvents(pipeline.integrationIds, eventsOfEach);
    await pipeline.fill(events);
    await pipeline.drain(events.length);
    await plainUpsert(pipeline.databaseUrl, events, pipeline.concurrency);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      async () => {
        events = freshEvents(pipeline.integrationIds, eventsOfEach);
        await pipeline.fill(events);
        return pipeline.drain(events.length);
      },
      () => plainUpsert(pipeline.databaseUrl, events, pipeline.concurrency),
    );
    return [
      ratioResult(
        p4,
        pairs,
        { atLeast: 0.7 },
        {
          note: `${median(pairs.map(({ product }) => product)).toFixed(0)}/s`,
        },
      ),
    ];
  },
};
