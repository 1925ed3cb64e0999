import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { parseEvent } from '#server/events/parsing/parse-event.ts';
import { recordEvents } from '#server/events/record-events.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Stores the payload of a webhook as the worker does, without the queue. */
export async function recordPayload(
  { worker }: TestDatabase,
  integrationId: string,
  eventType: QueuedEvent,
  payload: object,
): Promise<void> {
  const parsed = parseEvent({ eventType, payload, deliveryId: null, integrationId, receivedAt: 0 });
  if (!parsed.ok) throw new Error(`the ${eventType} cannot be read`);
  await worker.withScope({ integrationId }, (tx) => recordEvents(tx, [parsed.event]));
}
