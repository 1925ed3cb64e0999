import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { readSource, type EventSource } from '../names/event-source.ts';
import { deliveryTicks } from './delivery-time.ts';
import { InvalidFieldError, requireFields } from './payload-fields.ts';
import { eventTypeOf, type RowOfType } from '../types/event-types.ts';

/** An event as the row that it would leave alone. Storing it merges this row with the stored one. */
export type MonitoringEvent = {
  [Type in QueuedEvent]: {
    type: Type;
    integrationId: string;
    row: RowOfType<Type>;
    /** Absent when the names in the row are those that are stored. */
    source?: EventSource;
  };
}[QueuedEvent];

export interface ReceivedEvent {
  eventType: QueuedEvent;
  integrationId: string;
  deliveryId: string | null | undefined;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  payload: unknown;
}

export type ParsedEvent =
  | { ok: true; event: MonitoringEvent }
  /** `detail` names the field and what it must be, never a value. */
  | { ok: false; reason: 'invalid_payload'; detail: string };

/**
 * Strict about fields that keys and order need, lenient about the rest: unknown fields, actions and statuses are accepted, and
 * an optional field of the wrong type counts as absent. Texts are storable in Postgres and bounded in length.
 */
export function parseEvent(received: ReceivedEvent): ParsedEvent {
  try {
    return { ok: true, event: readEvent(received) };
  } catch (error) {
    if (!(error instanceof InvalidFieldError)) throw error;
    return { ok: false, reason: 'invalid_payload', detail: error.message };
  }
}

function readEvent({
  eventType: type,
  integrationId,
  deliveryId,
  receivedAt,
  payload: body,
}: ReceivedEvent): MonitoringEvent {
  const payload = requireFields(body, 'payload');
  const origin = { integrationId, deliveredAt: deliveryTicks(deliveryId, receivedAt) };
  const row = eventTypeOf(type).parse(payload, origin);
  const source = readSource(type, payload);
  return { type, integrationId, row, source } as MonitoringEvent;
}

/** Restores the version's Buffer, which becomes a plain Uint8Array when an event is passed between threads. */
export function restoreVersion(event: MonitoringEvent): MonitoringEvent {
  event.row.version = Buffer.from(event.row.version);
  return event;
}
