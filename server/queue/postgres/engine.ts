import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Listener } from '#platform/database/listener.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { coalesce } from '#platform/runtime/tasks/coalesce.ts';
import { startAll, stopAll } from '#platform/runtime/service.ts';
import { makeBatcher } from '#platform/runtime/tasks/batcher.ts';
import {
  notifyEveryMs,
  openedSegmentBytes,
  openedSegments,
  flushBytes,
  flushMessages,
  lostLeaseLooks,
  maxMessageBytes,
} from '../policy.ts';
import { type Queue, MessageTooLargeError, type OutgoingMessage, type EnqueueResult } from '../queue.ts';
import { newestDeadLetter } from './dead-letters/dead-letter-store.ts';
import { makeDeadLetters } from './dead-letters/dead-letters.ts';
import {
  type OpenedSegments,
  appendMessages,
  withoutRepeats,
  type AppendDeps,
  type Appended,
} from './append.ts';
import { receiveMessages } from './receive.ts';
import { announceMessages, readDepth } from './store.ts';
import { partitionTask, sweepTasks } from './maintenance/sweep.ts';
import { makeWakeUp, type WakeUp } from './wake-up.ts';

export interface PostgresQueueOptions extends Pick<SharedDeps, 'db' | 'log' | 'sealer'> {
  visibilityTimeoutMs: number;
  retentionDays: number;
  /** How long a message may stay in another queue before it reaches the log. */
  maxBufferedMs?: number;
  /** Receives notifications of other processes. A queue that only sends needs none. */
  listener?: Listener;
  /** Shared by the api role and the worker role of one process. */
  wakeUp?: WakeUp;
  /** Shared like `wakeUp`. A queue that only sends needs none. */
  opened?: OpenedSegments;
  /** Whether to run the periodic tasks. They need the worker's database role. */
  sweeps?: boolean;
}

export function makeOpenedSegments(): OpenedSegments {
  return new LRUCache({
    max: openedSegments,
    maxSize: openedSegmentBytes,
    sizeCalculation: ({ length }) => length,
  });
}

/** The queue in Postgres. The api's database role can send and manage dead letters; receiving needs the worker's. */
export function makePostgresQueue(options: PostgresQueueOptions): Queue {
  const { db, log, listener, wakeUp = makeWakeUp() } = options;
  const deps = {
    ...options,
    wakeUp,
    opened: options.opened ?? makeOpenedSegments(),
    leases: new Set<string>(),
  };
  // In a statement of its own after the commit: a NOTIFY inside the sends' transactions would make them commit one by one.
  const announcement = coalesce(notifyEveryMs, () =>
    announceMessages(db, wakeUp.id).catch((error: unknown) => {
      log.warn(
        { err: error },
        'notification of other processes failed; they receive the messages at their next poll',
      );
    }),
  );
  const onQueued = (): void => {
    // Other processes are notified only when no receiver of this process is idle.
    if (!wakeUp.wakeOne()) announcement.request();
  };
  const sender = makeSender({ ...options, wakeUp }, onQueued);
  const tasks = [partitionTask(options), ...(options.sweeps ? sweepTasks(deps) : [])];
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
      await announcement.idle();
    },
    send: sender.send,
    receive: (receive) => receiveMessages(deps, receive),
    ping: async () => void (await db.withScope('service', newestDeadLetter)),
    depth: () => db.withScope('service', readDepth),
    deadLetters: makeDeadLetters(db, onQueued),
  };
}

interface Sender {
  send(message: OutgoingMessage): Promise<EnqueueResult>;
  /** Resolves when every message was written or failed. */
  idle(): Promise<void>;
}

interface SenderDeps extends AppendDeps {
  wakeUp: Pick<WakeUp, 'reserve' | 'lostLeases'>;
  visibilityTimeoutMs: number;
}

/**
 * Group commit: messages that arrive while a commit waits for the disk share the next one, and its segment. One commit runs at a
 * time: a second one was not faster and could overtake it. When a commit fails or its outcome is unknown, every caller gets the
 * error. A retry of a message that was written is a duplicate.
 *
 * A receiver that sleeps in this process gets the messages of idle groups from memory, leased by the commit itself. When the
 * outcome is unknown, the sweep gives the lease back.
 */
function makeSender(deps: SenderDeps, onQueued: () => void): Sender {
  const batcher = makeBatcher<OutgoingMessage, EnqueueResult>({
    maxItems: flushMessages,
    maxWeight: flushBytes,
    weigh: ({ body }) => body.length,
    work: async (messages) => {
      const receiver = deps.wakeUp.reserve(messages.length);
      const lease = randomUUID();
      const request = receiver && { lease, visibilityMs: deps.visibilityTimeoutMs };
      let appended: Appended<OutgoingMessage> | undefined;
      try {
        appended = await appendMessages(deps, withoutRepeats(messages), request);
      } catch (error) {
        if (request !== undefined) deps.wakeUp.lostLeases.set(lease, lostLeaseLooks);
        throw error;
      } finally {
        const leased = appended?.leased;
        receiver?.(leased && leased.rows.length > 0 ? { lease, ...leased } : undefined);
      }
      const queued = new Set(appended.fresh);
      if (queued.size > appended.leased.rows.length) onQueued();
      return messages.map((message) => (queued.has(message) ? 'queued' : 'duplicate'));
    },
  });
  return {
    send: async (message) => {
      const bytes = message.body.length;
      if (bytes > maxMessageBytes) throw new MessageTooLargeError(`${bytes} bytes`);
      return batcher.add(message);
    },
    idle: batcher.idle,
  };
}
