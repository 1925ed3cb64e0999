import type { EventWebhookType } from '#contract/integrations/webhook-types.ts';
import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Log } from '#platform/runtime/log.ts';
import { listSubscribedTypes } from './store.ts';

/** Which integrations subscribe to which types, in the memory of a process. */
export interface SubscribedEvents {
  has(integrationId: string, type: EventWebhookType): boolean;
  /** Reads them again. Never rejects. */
  refresh(): Promise<void>;
}

/** A notification of the database refreshes it at once. The sender refreshes it too, in case a notification is lost. */
export function makeSubscribedEvents(db: Database, log: Log, listener: Listener): SubscribedEvents {
  let known: ReadonlySet<string> = new Set();
  let last: Promise<void> = Promise.resolve();
  const read = async (): Promise<void> => {
    const rows = await db.withScope('service', listSubscribedTypes);
    known = new Set(rows.map((row) => `${row.group_id} ${row.event_type}`));
  };
  const refresh = (): Promise<void> => {
    // One after the other, so that an older answer never replaces a newer one.
    last = last.then(read).catch((error: unknown) => {
      log.warn({ err: error }, 'webhook subscriptions not read, will retry');
    });
    return last;
  };
  listener.on('webhook_subscriptions_changed', () => void refresh());
  listener.onConnect(() => void refresh());
  return { has: (integrationId, type) => known.has(`${integrationId} ${type}`), refresh };
}
