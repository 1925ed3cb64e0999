import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { recordEvents } from '#server/events/record-events.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';
import { parsedEvent } from './forge-events.ts';

/** Stores the payload of a webhook as the worker does, without the queue. */
export async function recordPayload(
  { worker }: TestDatabase,
  integrationId: string,
  eventType: QueuedEvent,
  payload: object,
): Promise<void> {
  const event = parsedEvent({ eventType, payload, integrationId });
  await worker.withScope({ integrationId }, (tx) => recordEvents(tx, [event]));
}
