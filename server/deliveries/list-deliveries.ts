import {
  deliveryVerdicts,
  unqueuedReasons,
  type Delivery,
  type DeliveryPage,
  type DeliveryQuery,
} from '#contract/deliveries/deliveries.ts';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import { splitValues } from '#contract/base/value-list.ts';
import type { Tx } from '#platform/database/database.ts';
import { defaultLimit } from '#platform/http/page-cursor.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import { findIds, idsStartingWith, isBefore, isDeliveryId, newestFirst } from './delivery-ids.ts';
import { deliveryItem, loadDeliveries, deliveriesPerQuery, type DeliveriesDeps } from './load-deliveries.ts';
import { listStoredDeliveries, readStoredDeliveries } from './store.ts';
import { listUnqueued, readUnqueued } from './unqueued/unqueued-store.ts';
import { unqueuedItem } from './unqueued/describe-unqueued.ts';

/** Maximum number of messages opened for one page: a filter with few matches must not read the whole history. */
const maxOpened = 500;

/** Newest first. @throws AppError `invalid_request` for an invalid filter or cursor. */
export async function listDeliveries(
  deps: DeliveriesDeps,
  integrationId: string,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  const isWanted = makeFilter(query);
  const limit = query.limit ?? defaultLimit;
  const items: Delivery[] = [];
  let before = query.cursor === undefined ? undefined : checkedCursor(query.cursor);
  for (let opened = 0; opened < maxOpened;) {
    const chunk = await readChunk(deps, integrationId, query, before);
    for (const item of chunk) {
      if (isWanted(item)) items.push(item);
      before = item.deliveryId;
      // The next page may be empty.
      if (items.length === limit) return { items, nextCursor: before };
    }
    if (chunk.length < deliveriesPerQuery) return { items, nextCursor: null };
    opened += chunk.length;
  }
  return { items, nextCursor: before ?? null };
}

/** The next deliveries, queued and not queued, in one order. */
async function readChunk(
  { db, sealer }: DeliveriesDeps,
  integrationId: string,
  query: DeliveryQuery,
  before: string | undefined,
): Promise<Delivery[]> {
  return db.withScope({ integrationId }, async (tx) => {
    const named = query.q === undefined ? undefined : await findByPrefix(tx, integrationId, query.q);
    const next = named
      ?.filter((id) => before === undefined || isBefore(id, before))
      .slice(0, deliveriesPerQuery);
    const kinds = kindsOf(query);
    const [messages, unqueued] = await Promise.all([
      !kinds.queued
        ? []
        : next === undefined
          ? listStoredDeliveries(tx, before, query, deliveriesPerQuery)
          : readStoredDeliveries(tx, next),
      !kinds.unqueued
        ? []
        : next === undefined
          ? listUnqueued(tx, integrationId, before, query, deliveriesPerQuery)
          : readUnqueued(tx, integrationId, next),
    ]);
    const known = await loadDeliveries(tx, sealer, integrationId, messages);
    return [...known.map(deliveryItem), ...unqueued.map(unqueuedItem)]
      .sort((one, other) => newestFirst(one.deliveryId, other.deliveryId))
      .slice(0, deliveriesPerQuery);
  });
}

/** Undefined when too many ids start with `q`. The list is then scanned from its newest delivery. */
async function findByPrefix(tx: Tx, integrationId: string, q: string): Promise<string[] | undefined> {
  const ids = await findIds(tx, integrationId, idsStartingWith(q));
  return ids && isDeliveryId(q) ? [...new Set([...ids, q])].sort(newestFirst) : ids;
}

/** Whether queued and unqueued deliveries can have one of the verdicts. */
function kindsOf({ verdict }: DeliveryQuery): { queued: boolean; unqueued: boolean } {
  if (verdict === undefined) return { queued: true, unqueued: true };
  const unqueuedVerdicts: string[] = Object.values(unqueuedReasons);
  const isUnqueued = splitValues(verdict).map((value) => unqueuedVerdicts.includes(value));
  return { queued: isUnqueued.includes(false), unqueued: isUnqueued.includes(true) };
}

function makeFilter({ event, verdict, from, to, q }: DeliveryQuery): (item: Delivery) => boolean {
  const events = event === undefined ? undefined : parseChoices('event', event, [...queuedEvents, 'ping']);
  const verdicts = verdict === undefined ? undefined : parseChoices('verdict', verdict, deliveryVerdicts);
  const [start, end] = [Date.parse(from ?? ''), Date.parse(to ?? '')];
  return (item) => {
    const at = Date.parse(item.queuedAt);
    // A missing time is NaN, and comparisons with NaN are false.
    if (at < start || at >= end) return false;
    if (q !== undefined && item.deliveryId !== q && item.forgeDeliveryId?.startsWith(q) !== true)
      return false;
    return events?.includes(item.event) !== false && verdicts?.includes(item.verdict) !== false;
  };
}

function parseChoices(field: string, text: string, known: readonly string[]): string[] {
  const values = splitValues(text);
  if (values.every((value) => known.includes(value))) return values;
  throw invalidField(field, `must be of: ${known.join(', ')}`);
}

/** @throws AppError `invalid_request` for an invalid cursor. */
export function checkedCursor(cursor: string): string {
  if (isDeliveryId(cursor)) return cursor;
  throw invalidField('cursor', 'must be the nextCursor of a page of this list');
}
