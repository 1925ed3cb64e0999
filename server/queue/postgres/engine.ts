import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { startAll, stopAll } from '#platform/runtime/service.ts';
import type { Queue } from '../queue.ts';
import { makeAnnouncer } from './announcer.ts';
import { newestDeadLetter } from './dead-letter-store.ts';
import { makeDeadLetters } from './dead-letters.ts';
import { receiveMessages } from './receive.ts';
import { makeSender } from './send.ts';
import { readDepth } from './store.ts';
import { partitionTask, sweepTasks } from './sweep.ts';
import { makeWakeUp, type WakeUp } from './wake-up.ts';

export interface PostgresQueueOptions {
  db: Database;
  sealer: Sealer;
  log: Log;
  visibilityTimeoutMs: number;
  retentionDays: number;
  /** How long a message may lie elsewhere before it comes into the log. */
  maxBufferedMs?: number;
  /** Hears of messages that other processes sent; a queue that only sends needs none. */
  listener?: Listener;
  /** Shared by the sending and the receiving half of one process. */
  wakeUp?: WakeUp;
  /** Whether this half does the periodic duties; the role of `db` must be the worker's. */
  sweeps?: boolean;
}

/** The queue in Postgres. The api's role can send and see to dead letters; receiving needs the worker's. */
export function makePostgresQueue(options: PostgresQueueOptions): Queue {
  const { db, sealer, log, listener, wakeUp = makeWakeUp() } = options;
  const announcer = makeAnnouncer(db, log, wakeUp.id);
  const onQueued = (): void => {
    // A receiver here that had nothing to do takes it; only when there is none, others need to know.
    if (!wakeUp.wakeOne()) announcer.announce();
  };
  const sender = makeSender(db, sealer, { onQueued, onSending: wakeUp.noteSending });
  const tasks = [partitionTask(options), ...(options.sweeps ? sweepTasks({ ...options, wakeUp }) : [])];
  listener?.on('queue_ready', (sender) => {
    if (sender !== wakeUp.id) wakeUp.wakeOne();
  });
  listener?.onConnect(() => wakeUp.wakeOne());
  return {
    name: 'queue',
    start: () => startAll(tasks),
    stop: async () => {
      await stopAll(tasks);
      await sender.idle();
      await announcer.idle();
    },
    send: sender.send,
    receive: (receive) => receiveMessages({ ...options, wakeUp }, receive),
    ping: async () => void (await db.withScope('service', newestDeadLetter)),
    depth: () => db.withScope('service', readDepth),
    deadLetters: makeDeadLetters(db, onQueued),
  };
}
