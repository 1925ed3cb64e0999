import { deliveryVerdicts, type DeliveryVerdict } from '#contract/deliveries.ts';
import { queuedEvents } from '#contract/integrations.ts';

export const deliveryEvents = [...queuedEvents, 'ping'] as const;

export interface DeliveryFilter {
  /** The beginning of an id. */
  q?: string | undefined;
  event?: (typeof deliveryEvents)[number] | undefined;
  verdict?: DeliveryVerdict | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface DeliverySearch extends DeliveryFilter {
  /** The delivery that is open, by our id or the forge's. */
  open?: string | undefined;
}

export const emptyFilter: DeliveryFilter = {
  q: undefined,
  event: undefined,
  verdict: undefined,
  from: undefined,
  to: undefined,
};

/** What narrows the deliveries in an address; what the server would refuse is left out. */
export function readDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  const event = deliveryEvents.find((each) => each === search['event']);
  const verdict = deliveryVerdicts.find((each) => each === search['verdict']);
  const [q, open] = [readId(search['q']), readId(search['open'])];
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

function readId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined;
}

/** Years that databases and clocks know. */
function readTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^(19[7-9]|[2-8]\d\d)\d-\d\d-\d\dT/.test(value)) return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : new Date(value).toISOString();
}
