import type { Database } from '#platform/database/database.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import type { CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { isSampleRepository } from '#server/sample-data/sample-repositories.ts';
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
    // Only deliveries bring sample data: a forge must not be able to name its repositories like that.
    const messages = events
      .filter(({ row }) => !isSampleRepository(row.repository))
      .map((event) => ({ messageId: '', event, receivedAt: null }));
    const { updates } = await db.withScope({ integrationIds: [integrationId] }, (tx) =>
      storeEvents(tx, messages, {
        together: true,
        ...(isNews ? { inTransaction: enqueueCompletions } : {}),
      }),
    );
    afterCommit(await updates);
  };
}
