import type { Database } from '#platform/database/database.ts';
import type { MonitoringEvent } from '#server/events/parse-event.ts';
import type { CommittedUpdate } from '#server/realtime/append-updates.ts';
import { storeEvents, type TransactionHook } from './store-events.ts';

export interface StoreFetchedEventsDeps {
  db: Database;
  /** Notes what ended, to be held against the rules. */
  enqueueRuleEvaluation: TransactionHook;
  afterCommit(updates: readonly CommittedUpdate[]): void;
}

/**
 * Stores what was learned otherwise than by a webhook, in the same way: whichever tells of it, the rows are the same, and
 * open screens hear of it.
 */
export function makeStoreFetchedEvents({ db, enqueueRuleEvaluation, afterCommit }: StoreFetchedEventsDeps) {
  return async (
    integrationId: string,
    events: readonly MonitoringEvent[],
    { isNews }: { isNews: boolean },
  ): Promise<void> => {
    const messages = events.map((event) => ({ messageId: '', event, receivedAt: null }));
    const { updates } = await db.withScope({ integrationIds: [integrationId] }, (tx) =>
      storeEvents(tx, messages, {
        together: true,
        ...(isNews ? { inTransaction: enqueueRuleEvaluation } : {}),
      }),
    );
    afterCommit(await updates);
  };
}
