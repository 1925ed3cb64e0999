import type { IncomingHttpHeaders } from 'node:http';
import { queuedEvents } from '#contract/integrations/integrations.ts';

/** The events that `POST /api/import/:integrationId` accepts. `ping` is not queued. */
export const supportedEvents = [...queuedEvents, 'ping'] as const;

/**
 * The event name from the first of `eventHeaders` that is present, and the delivery id from the header that ends in "delivery"
 * instead of "event". A header that does not end in "event" has no delivery id.
 */
export function deliveryHeaders(
  headers: IncomingHttpHeaders,
  eventHeaders: readonly string[],
): { eventName: string | undefined; deliveryId: string | undefined } {
  const name = eventHeaders.find((header) => headers[header] !== undefined);
  if (name === undefined) return { eventName: undefined, deliveryId: undefined };
  const deliveryId = name.endsWith('event') ? headers[name.replace(/event$/, 'delivery')] : undefined;
  return {
    eventName: String(headers[name]),
    deliveryId:
      typeof deliveryId === 'string' && /^[\x21-\x7e]{1,200}$/.test(deliveryId) ? deliveryId : undefined,
  };
}
