import type { UnqueuedReason } from '#contract/deliveries.ts';
import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { insertUnqueued, type UnqueuedFacts } from './unqueued-store.ts';

export interface UnqueuedDelivery {
  /** Undefined for an integration that does not exist: it costs the same work, and nothing is kept. */
  integrationId: string | undefined;
  reason: UnqueuedReason;
  event: string | undefined;
  deliveryId: string | undefined;
  address: string;
  receivedAt: Date;
}

export interface UnqueuedRecorder extends Service {
  note(delivery: UnqueuedDelivery): void;
}

export interface RecordUnqueuedDeps {
  db: Database;
  log: Log;
  writeEveryMs?: number;
}

const minuteMs = 60_000;

/** Of one reason, so that a flood of wrong signatures leaves room for what was signed. */
const mostAMinute = 30;

/** Of all integrations together, in one turn. */
const mostWaiting = 500;

/**
 * Keeps what people look for when the forge says that it sent a delivery. Anybody can post to an integration whose id they
 * know, so each integration and process keeps a few a minute and reason, and all are written together, apart from the
 * requests. Those beyond the limits are only counted.
 */
export function makeUnqueuedRecorder({ db, log, writeEveryMs = 1000 }: RecordUnqueuedDeps): UnqueuedRecorder {
  let minute = 0;
  const counts = new Map<string, number>();
  let waiting: UnqueuedDelivery[] = [];

  const write = async (): Promise<void> => {
    const taken = Map.groupBy(waiting, ({ integrationId }) => integrationId);
    waiting = [];
    taken.delete(undefined);
    for (const [integrationId = '', deliveries] of taken)
      await db
        .withScope({ integrationId }, (tx) => insertUnqueued(tx, integrationId, deliveries.map(factsOf)))
        .catch((error: unknown) =>
          log.warn({ err: error, integrationId }, 'deliveries that were not queued could not be recorded'),
        );
  };
  const writing = repeat(log, 'unqueued deliveries', writeEveryMs, write);
  return {
    ...writing,
    stop: async () => {
      await writing.stop();
      await write();
    },
    note: (delivery) => {
      const now = Math.floor(delivery.receivedAt.getTime() / minuteMs);
      if (now !== minute) counts.clear();
      minute = now;
      const key = `${delivery.integrationId ?? ''} ${delivery.reason}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count <= mostAMinute && waiting.length < mostWaiting) waiting.push(delivery);
    },
  };
}

/** Visible ASCII, and short: it is shown, and its sender may be anybody. */
const shownName = /^[\x21-\x7e]{1,100}$/;

function factsOf({ receivedAt, reason, event, deliveryId, address }: UnqueuedDelivery): UnqueuedFacts {
  return {
    receivedAt,
    reason,
    event: event !== undefined && shownName.test(event) ? event : null,
    forgeDeliveryId: deliveryId ?? null,
    address,
  };
}
