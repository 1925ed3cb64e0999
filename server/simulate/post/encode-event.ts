import { createHmac } from 'node:crypto';
import type { SimulatedEvent } from '../event.ts';

export interface EncodedEvent {
  headers: Record<string, string>;
  body: Buffer;
}

/** The request of a webhook as a forge sends it: JSON or a form field `payload`, with a signature of the body. */
export function encodeEvent(
  event: SimulatedEvent,
  { secret, asForm = false }: { secret: string; asForm?: boolean },
): EncodedEvent {
  const json = JSON.stringify(event.payload);
  const body = Buffer.from(asForm ? new URLSearchParams({ payload: json }).toString() : json);
  return {
    body,
    headers: {
      'content-type': asForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'user-agent': 'forgewatch-simulate',
      'x-forge-event': event.eventType,
      'x-forge-delivery': event.deliveryId,
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  };
}
