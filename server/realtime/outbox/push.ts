import type { Database } from '#platform/database/database.ts';
import { maintenanceTimeoutMs } from '#platform/database/time-limits.ts';
import { coalesce } from '#platform/runtime/tasks/coalesce.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { CommittedUpdate } from './append-updates.ts';
import { channel, pointerPayloads } from './channel.ts';
import { realtimePolicy, type RealtimePolicy } from '../policy.ts';
import { notifyAsync, trimOutbox } from '../store.ts';

export interface PushDeps {
  /** The worker's connections. */
  db: Database;
  log: Log;
  /** The node in this process, when there is one. */
  node?: {
    deliver(messages: readonly CommittedUpdate[]): void;
    /** True while no other node is alive: then no notification is needed. */
    isOnlyNode(): boolean;
  };
  policy?: RealtimePolicy;
}

export interface Push extends Service {
  /** Sends committed updates to open sockets, here and in other processes. Never throws. */
  publish(messages: readonly CommittedUpdate[]): void;
}

/** The service also trims the outbox. `stop` sends pending notifications. */
export function makePush({ db, log, node, policy = realtimePolicy }: PushDeps): Push {
  const notifier = makeNotifier(db, log, policy);
  const trimmer = repeat(log, 'realtime outbox', policy.trimEveryMs, () =>
    db.withScope('service', (tx) => trimOutbox(tx), { timeoutMs: maintenanceTimeoutMs }),
  );
  return {
    name: 'push',
    publish: (messages) => {
      if (messages.length === 0) return;
      try {
        node?.deliver(messages);
      } catch (error) {
        log.warn({ err: error }, 'live update delivery failed');
      }
      if (node === undefined || !node.isOnlyNode()) notifier.announce(messages);
    },
    start: () => trimmer.start(),
    stop: async () => {
      await trimmer.stop();
      await notifier.settled();
    },
  };
}

/** Postgres commits notifications one at a time, so many positions share one, in a separate transaction. */
function makeNotifier(db: Database, log: Log, policy: RealtimePolicy) {
  let latest = new Map<string, number>();
  const notification = coalesce(policy.notifyEveryMs, async () => {
    const payloads = pointerPayloads(latest, policy.notifyMaxBytes);
    latest = new Map();
    await notifyAsync(db, channel, payloads).catch((error: unknown) =>
      log.warn({ err: error }, 'live update notification failed'),
    );
  });
  return {
    announce: (messages: readonly CommittedUpdate[]): void => {
      for (const { integrationId, seq } of messages) {
        latest.set(integrationId, Math.max(seq, latest.get(integrationId) ?? 0));
      }
      notification.request();
    },
    settled: notification.idle,
  };
}
