import type { Service } from '#platform/runtime/service.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { busyGroups, makeWorkInFlight } from '#platform/runtime/tasks/work-in-flight.ts';
import { disableOverflowed } from '../subscriptions/disable.ts';
import { claimFirst, dueWebhooks, type QueuedWebhook } from './queue-store.ts';
import { sendInOrder, type SendInOrderDeps } from './send-in-order.ts';

/**
 * Sends the webhooks that wait: those of one receiver in order, receivers in parallel, so a receiver that hangs delays only its own.
 * At least once: if a process dies, the next one sends its webhooks, and may send one a second time with the same id.
 */
export function makeWebhookSender(deps: SendInOrderDeps): Service {
  const { db, log, policy } = deps;
  const inFlight = makeWorkInFlight<QueuedWebhook>((error) =>
    log.warn({ err: error }, 'webhook handling failed, will retry'),
  );
  const stopping = new AbortController();
  const loop = repeat(log, 'outgoing webhooks', policy.sendEveryMs, async (signal) => {
    if (!(await db.hasRow(dueWebhooks))) return;
    while (!signal.aborted && (await startSome()) > 0) await inFlight.oneDone(policy.sendEveryMs, signal);
  });

  async function startSome(): Promise<number> {
    const all = inFlight.items();
    const free = policy.sendAtOnce - all.length;
    if (free <= 0) return 1;
    await disableOverflowed(db);
    const most = policy.sendAtOncePerIntegration;
    const claimed = await db.withScope('service', (tx) =>
      claimFirst(tx, {
        total: free,
        perGroup: most,
        leaseMs: policy.leaseMs,
        busyGroups: busyGroups(all, most),
      }),
    );
    for (const queued of claimed) inFlight.start(queued, sendInOrder(deps, queued, stopping.signal));
    return claimed.length;
  }

  return {
    name: 'webhook sender',
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      stopping.abort();
      await inFlight.allDone();
    },
  };
}
