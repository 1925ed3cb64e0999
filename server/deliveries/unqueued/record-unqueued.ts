import { minuteMs } from '#platform/runtime/time-units.ts';
import type { UnqueuedReason } from '#contract/deliveries/deliveries.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { makeFailureLog } from '#platform/runtime/tasks/failure-log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { insertUnqueued, type UnqueuedFacts } from './unqueued-store.ts';

export interface UnqueuedDelivery {
  /** Undefined when the integration does not exist: nothing is stored, at the same cost for the sender. */
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

export interface RecordUnqueuedDeps extends Pick<SharedDeps, 'db' | 'log'> {
  writeEveryMs?: number;
}

/** Per integration and reason: a flood of wrong signatures leaves room for signed deliveries. */
const maxPerMinute = 30;

/** Maximum number of deliveries that wait to be written, of all integrations. */
const maxPending = 500;

/**
 * Records deliveries that were not queued, so that members find every delivery that the forge sent. Anyone who knows the id of
 * an integration can post to it, so each process records a limited number per integration, reason and minute, and writes them
 * in batches. Deliveries beyond the limits are only counted.
 */
export function makeUnqueuedRecorder({ db, log, writeEveryMs = 1000 }: RecordUnqueuedDeps): UnqueuedRecorder {
  let minute = 0;
  const counts = new Map<string, number>();
  let waiting: UnqueuedDelivery[] = [];
  const failures = makeFailureLog(log, { message: 'deliveries that were not queued could not be recorded' });

  const write = async (): Promise<void> => {
    const taken = Map.groupBy(waiting, ({ integrationId }) => integrationId);
    waiting = [];
    taken.delete(undefined);
    for (const [integrationId = '', deliveries] of taken)
      await db
        .withScope({ integrationId }, (tx) => insertUnqueued(tx, integrationId, deliveries.map(factsOf)))
        .then(failures.succeeded, (error: unknown) => failures.failed(error, { integrationId }));
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
      if (count <= maxPerMinute && waiting.length < maxPending) waiting.push(delivery);
    },
  };
}

/** Short, visible ASCII: the sender is not verified, and the name is shown. */
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
