import type { IncomingHttpHeaders } from 'node:http';
import { queuedEvents } from '#contract/integrations.ts';

/** Everything `POST /api/import/:integrationId` understands; `ping` is answered at once. */
export const supportedEvents = [...queuedEvents, 'ping'] as const;

/**
 * Event name and delivery id, from the first of `eventHeaders` that is present and the one beside it. A name that does not
 * end in "event" has none beside it.
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
