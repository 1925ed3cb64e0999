import { deliveryVerdicts, type DeliveryVerdict } from '#contract/deliveries/deliveries.ts';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import { readText, readTime } from '../app/search-values.ts';

export const deliveryEvents = [...queuedEvents, 'ping'] as const;

export interface DeliveryFilter {
  /** The start of an ID. */
  q?: string | undefined;
  event?: (typeof deliveryEvents)[number] | undefined;
  verdict?: DeliveryVerdict | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface DeliverySearch extends DeliveryFilter {
  /** The open delivery, by Forgewatch ID or forge ID. */
  open?: string | undefined;
}

export const emptyFilter: DeliveryFilter = {
  q: undefined,
  event: undefined,
  verdict: undefined,
  from: undefined,
  to: undefined,
};

/** Reads the filters from an address. Drops values that the server would refuse. */
export function readDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  const event = deliveryEvents.find((each) => each === search['event']);
  const verdict = deliveryVerdicts.find((each) => each === search['verdict']);
  const [q, open] = [readDeliveryId(search['q']), readDeliveryId(search['open'])];
  const [from, to] = [readTime(search['from']), readTime(search['to'])];
  return {
    ...(q === undefined ? {} : { q }),
    ...(event === undefined ? {} : { event }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(open === undefined ? {} : { open }),
  };
}

/** An ID of the forge or of Forgewatch, in visible ASCII. */
export function readDeliveryId(value: unknown): string | undefined {
  const text = readText(value, 200);
  return text !== undefined && /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}
