import type { Database } from '#platform/database/database.ts';
import type { MonitoringEvent } from '#server/events/parse-event.ts';
import type { CommittedUpdate } from '#server/realtime/append-updates.ts';
import { storeEvents, type TransactionHook } from './store-events.ts';

export interface StoreFetchedEventsDeps {
  db: Database;
  /** Queues completed runs and jobs for rules and failure reasons. */
  enqueueCompletions: TransactionHook;
  afterCommit(updates: readonly CommittedUpdate[]): void;
}

/**
 * Stores events that were fetched from the forge's API. The rows and the updates of open screens are the same as for
 * webhooks.
 */
export function makeStoreFetchedEvents({ db, enqueueCompletions, afterCommit }: StoreFetchedEventsDeps) {
  return async (
    integrationId: string,
    events: readonly MonitoringEvent[],
    { isNews }: { isNews: boolean },
  ): Promise<void> => {
    const messages = events.map((event) => ({ messageId: '', event, receivedAt: null }));
    const { updates } = await db.withScope({ integrationIds: [integrationId] }, (tx) =>
      storeEvents(tx, messages, {
        together: true,
        ...(isNews ? { inTransaction: enqueueCompletions } : {}),
      }),
    );
    afterCommit(await updates);
  };
}
