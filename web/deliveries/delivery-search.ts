import { deliveryVerdicts, type DeliveryVerdict } from '#contract/deliveries.ts';
import { queuedEvents, type QueuedEvent } from '#contract/integrations.ts';

export interface DeliverySearch {
  event?: QueuedEvent | undefined;
  verdict?: DeliveryVerdict | undefined;
  /** The delivery that is open. */
  open?: string | undefined;
}

/** What narrows the deliveries in an address; what the server would refuse is left out. */
export function readDeliverySearch({ event, verdict, open }: Record<string, unknown>): DeliverySearch {
  const knownEvent = queuedEvents.find((each) => each === event);
  const knownVerdict = deliveryVerdicts.find((each) => each === verdict);
  const id = typeof open === 'number' ? String(open) : open;
  return {
    ...(knownEvent === undefined ? {} : { event: knownEvent }),
    ...(knownVerdict === undefined ? {} : { verdict: knownVerdict }),
    ...(typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? { open: id } : {}),
  };
}
