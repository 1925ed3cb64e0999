import type { IncomingHttpHeaders } from 'node:http';
import { queuedEvents, type QueuedEvent } from '#contract/integrations.ts';

/** Everything `POST /api/import/:integrationId` understands; `ping` is answered at once. */
export const supportedEvents = [...queuedEvents, 'ping'] as const;
export type SupportedEvent = (typeof supportedEvents)[number];

export interface EventHeaders {
  eventType: SupportedEvent | undefined;
  /** The forge's id of the delivery, from the header beside the one that named the event. */
  deliveryId: string | undefined;
}

/** Reads event type and delivery id from the first of `eventHeaders` that is present. */
export function readEventHeaders(
  headers: IncomingHttpHeaders,
  eventHeaders: readonly string[],
): EventHeaders {
  const { eventName, deliveryId } = deliveryHeaders(headers, eventHeaders);
  return { eventType: supportedEvents.find((event) => event === eventName), deliveryId };
}

/** The same whatever the event is called. */
export function deliveryHeaders(
  headers: IncomingHttpHeaders,
  eventHeaders: readonly string[],
): { eventName: string | undefined; deliveryId: string | undefined } {
  const name = eventHeaders.find((header) => headers[header] !== undefined);
  if (name === undefined) return { eventName: undefined, deliveryId: undefined };
  const deliveryId = headers[name.replace(/event$/, 'delivery')];
  return {
    eventName: String(headers[name]),
    deliveryId:
      typeof deliveryId === 'string' && /^[\x21-\x7e]{1,200}$/.test(deliveryId) ? deliveryId : undefined,
  };
}

export function isQueued(event: SupportedEvent): event is QueuedEvent {
  return event !== 'ping';
}
