import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Sealer } from '#platform/runtime/sealing.ts';
import { startAll, stopAll } from '#platform/runtime/service.ts';
import { notifyEveryMs, sweepBatch } from '../policy.ts';
import type { DeadLetters, Queue } from '../queue.ts';
import {
  dropDeadLetters,
  findDeadLetter,
  listDeadLetters,
  newestDeadLetter,
  redriveDeadLetters,
} from './dead-letter-store.ts';
import { receiveBatch, toRecord } from './receive.ts';
import { makeSender } from './send.ts';
import { announceMessages, readDepth } from './store.ts';
import { partitionDuty, sweepDuties } from './sweep.ts';
import { makeWakeUp, type WakeUp } from './wake-up.ts';

export interface PostgresQueueOptions {
  db: Database;
  sealer: Sealer;
  log: Log;
  visibilityTimeoutMs: number;
  retentionDays: number;
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
  const sender = makeSender(db, sealer, () => {
    wakeUp.wakeOne();
    announcer.announce();
  });
  const duties = [partitionDuty(options), ...(options.sweeps ? sweepDuties({ ...options, wakeUp }) : [])];
  listener?.on('queue_ready', (sender) => {
    if (sender !== wakeUp.id) wakeUp.wakeOne();
  });
  listener?.onConnect(() => wakeUp.wakeOne());
  return {
    name: 'queue',
    start: () => startAll(duties),
    stop: async () => {
      await stopAll(duties);
      await sender.idle();
      await announcer.idle();
    },
    send: sender.send,
    receive: (receive) => receiveBatch({ ...options, wakeUp }, receive),
    depth: () => db.withScope('service', readDepth),
    deadLetters: makeDeadLetters(db, sealer, () => {
      wakeUp.wakeOne();
      announcer.announce();
    }),
  };
}

function makeDeadLetters(db: Database, sealer: Sealer, onRedriven: () => void): DeadLetters {
  return {
    list: (options = {}) => db.withScope('service', (tx) => listDeadLetters(tx, options)),
    read: async (messageId) => {
      const row = await db.withScope('service', (tx) => findDeadLetter(tx, messageId));
      return row && toRecord(sealer, row);
    },
    redrive: async (filter) => {
      const newest = await db.withScope('service', newestDeadLetter);
      let total = 0;
      for (let count = -1; count !== 0; total += count) {
        count = await db.withScope('service', (tx) => redriveDeadLetters(tx, filter, newest, sweepBatch));
        if (count > 0) onRedriven();
      }
      return total;
    },
    drop: (filter) => db.withScope('service', (tx) => dropDeadLetters(tx, filter)),
  };
}

/**
 * Tells other processes, in a statement of its own after the commit: a NOTIFY inside the sends' transactions would make
 * them commit one by one. Losing one costs the length of a poll at most.
 */
function makeAnnouncer(db: Database, log: Log, sender: string): { announce(): void; idle(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const announceNow = (): void => {
    timer = undefined;
    running = db
      .withScope('service', (tx) => announceMessages(tx, sender))
      .catch((error: unknown) => {
        log.warn(
          { err: error },
          'other processes were not told of new messages; they find them when they next look',
        );
      });
  };
  return {
    announce: () => {
      timer ??= setTimeout(announceNow, notifyEveryMs);
    },
    idle: async () => {
      if (timer !== undefined) {
        clearTimeout(timer);
        announceNow();
      }
      await running;
    },
  };
}
