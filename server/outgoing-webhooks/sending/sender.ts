import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#platform/database/database.ts';
import type { GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { WebhookPolicy } from '../policy.ts';
import { disableOverflowed } from '../subscriptions/disable.ts';
import type { ReceiverDeps } from './find-receiver.ts';
import { claimFirst, type QueuedWebhook } from './queue-store.ts';
import { sendInOrder } from './send-in-order.ts';

export interface WebhookSenderDeps extends ReceiverDeps {
  db: Database;
  log: Log;
  clock: Clock;
  guardedFetch: Pick<GuardedFetch, 'post'>;
  policy: WebhookPolicy;
  /** Called before webhooks are claimed, so that this process knows subscriptions that are older than what it sends. */
  refreshSubscriptions(): Promise<void>;
}

/**
 * Sends the webhooks that wait: those of one receiver in order, receivers in parallel, so a receiver that hangs delays only its own.
 * At least once: if a process dies, the next one sends its webhooks, and may send one a second time with the same id.
 */
export function makeWebhookSender(deps: WebhookSenderDeps): Service {
  const { db, log, policy } = deps;
  const inFlight = new Map<Promise<void>, QueuedWebhook>();
  const stopping = new AbortController();
  const loop = repeat(log, 'outgoing webhooks', policy.sendEveryMs, async (signal) => {
    await deps.refreshSubscriptions();
    while (!signal.aborted && (await startSome()) > 0)
      await Promise.race([
        ...inFlight.keys(),
        delay(policy.sendEveryMs, undefined, { signal }).catch(() => {}),
      ]);
  });

  async function startSome(): Promise<number> {
    const free = policy.sendAtOnce - inFlight.size;
    if (free <= 0) return 1;
    await disableOverflowed(db);
    const groups = [...inFlight.values()].map(({ group_id: groupId }) => groupId);
    const most = policy.sendAtOncePerIntegration;
    const claimed = await db.withScope('service', (tx) =>
      claimFirst(tx, {
        total: free,
        perGroup: most,
        leaseMs: policy.leaseMs,
        busyGroups: [...new Set(groups)].filter(
          (group) => groups.filter((each) => each === group).length >= most,
        ),
      }),
    );
    for (const queued of claimed) {
      const sent: Promise<void> = sendInOrder(deps, queued, stopping.signal)
        .catch((error: unknown) => log.warn({ err: error }, 'webhook handling failed, will retry'))
        .finally(() => inFlight.delete(sent));
      inFlight.set(sent, queued);
    }
    return claimed.length;
  }

  return {
    name: 'webhook sender',
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      stopping.abort();
      await Promise.all(inFlight.keys());
    },
  };
}
