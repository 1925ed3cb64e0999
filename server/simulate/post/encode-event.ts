import { createHmac } from 'node:crypto';
import { proofHeader, sampleDeliveryId, type SampleProofs } from '#server/sample-data/sample-delivery.ts';
import type { SimulatedEvent } from '../event.ts';

/** Marks deliveries as sample data of an integration. */
export interface SampleMark extends Pick<SampleProofs, 'proofOf'> {
  integrationId: string;
  generation: number;
}

export interface EncodedEvent {
  headers: Record<string, string>;
  body: Buffer;
}

/** The request of a webhook as a forge sends it, with a signature of the body. */
export function encodeEvent(
  event: SimulatedEvent,
  { secret, mark }: { secret: string; mark?: SampleMark | undefined },
): EncodedEvent {
  const body = Buffer.from(JSON.stringify(event.payload));
  const deliveryId =
    mark === undefined
      ? event.deliveryId
      : sampleDeliveryId({ generation: mark.generation, forgeId: event.deliveryId });
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'forgewatch-simulate',
      'x-forge-event': event.eventType,
      'x-forge-delivery': deliveryId,
      ...(mark && {
        [proofHeader]: mark.proofOf({ integrationId: mark.integrationId, deliveryId, body }),
      }),
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  };
}
