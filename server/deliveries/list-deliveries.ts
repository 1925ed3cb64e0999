import {
  deliveryVerdicts,
  type Delivery,
  type DeliveryPage,
  type DeliveryQuery,
} from '#contract/deliveries.ts';
import { queuedEvents } from '#contract/integrations.ts';
import { splitValues } from '#contract/value-list.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/sealing.ts';
import { openDelivery, type OpenedDelivery } from './open-delivery.ts';
import {
  findDeliveries,
  listDeaths,
  listOutcomes,
  listStoredDeliveries,
  readStoredDeliveries,
  type StoredDelivery,
} from './store.ts';
import { fateOf, type Fate } from './verdict.ts';

export interface DeliveriesDeps {
  db: Database;
  sealer: Sealer;
}

/** A message with all that is known of it. */
export interface KnownDelivery {
  stored: StoredDelivery;
  opened: OpenedDelivery;
  fate: Fate;
}

const defaultLimit = 50;

/** Messages opened for one page at most: a filter that few meet must not read the whole history. */
const mostOpened = 500;

/** Newest first. @throws AppError `invalid_request` for a filter or cursor that there is not. */
export async function listDeliveries(
  deps: DeliveriesDeps,
  integrationId: string,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  const isWanted = wanted(query);
  const limit = query.limit ?? defaultLimit;
  const items: Delivery[] = [];
  let before = query.cursor === undefined ? undefined : checkedCursor(query.cursor);
  for (let opened = 0; opened < mostOpened;) {
    const chunk = await readChunk(deps, integrationId, query, before, limit);
    for (const delivery of chunk) {
      const item = deliveryItem(delivery);
      if (isWanted(item)) items.push(item);
      before = item.deliveryId;
      // There may be nothing behind it: the next page is then empty.
      if (items.length === limit) return { items, nextCursor: before };
    }
    if (chunk.length < limit) return { items, nextCursor: null };
    opened += chunk.length;
  }
  return { items, nextCursor: before ?? null };
}

async function readChunk(
  { db, sealer }: DeliveriesDeps,
  integrationId: string,
  { forgeDeliveryId, from, to }: DeliveryQuery,
  before: string | undefined,
  limit: number,
): Promise<KnownDelivery[]> {
  return db.withScope({ integrationId }, async (tx) => {
    const rows =
      forgeDeliveryId === undefined
        ? await listStoredDeliveries(tx, before, { from, to }, limit)
        : await readStoredDeliveries(tx, await findDeliveries(tx, forgeDeliveryId, before, limit));
    return knowDeliveries(tx, sealer, integrationId, rows);
  });
}

/** Joins messages with what is on record of them. */
export async function knowDeliveries(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  rows: readonly StoredDelivery[],
): Promise<KnownDelivery[]> {
  const [outcomes, deaths] = await Promise.all([
    listOutcomes(
      tx,
      integrationId,
      rows.map(({ seq }) => seq),
    ),
    listDeaths(
      tx,
      rows.filter(({ isDead }) => isDead).map(({ seq }) => seq),
    ),
  ]);
  return rows.map((stored) => ({
    stored,
    opened: openDelivery(sealer, integrationId, stored),
    fate: fateOf(stored, outcomes.get(stored.seq), deaths.get(stored.seq)),
  }));
}

export function deliveryItem({ stored, opened, fate }: KnownDelivery): Delivery {
  const queuedAt = stored.acceptedAt.toISOString();
  return {
    deliveryId: stored.seq,
    forgeDeliveryId: stored.deduplicationId,
    event: opened.event,
    ...opened.names,
    verdict: fate.verdict,
    reason: fate.reason,
    receivedAt: opened.receivedAt ?? queuedAt,
    queuedAt,
    replayed: isReplay(stored),
  };
}

export const replayPrefix = 'replay-';

export function isReplay({ deduplicationId }: StoredDelivery): boolean {
  return deduplicationId.startsWith(replayPrefix);
}

function wanted({ event, verdict, from, to }: DeliveryQuery): (item: Delivery) => boolean {
  const events = event === undefined ? undefined : choices('event', event, queuedEvents);
  const verdicts = verdict === undefined ? undefined : choices('verdict', verdict, deliveryVerdicts);
  const [start, end] = [Date.parse(from ?? ''), Date.parse(to ?? '')];
  return (item) => {
    const at = Date.parse(item.queuedAt);
    // Nothing is before or after a time that is not given.
    if (at < start || at >= end) return false;
    return events?.includes(item.event) !== false && verdicts?.includes(item.verdict) !== false;
  };
}

function choices(field: string, text: string, known: readonly string[]): string[] {
  const values = splitValues(text);
  if (values.every((value) => known.includes(value))) return values;
  throw new AppError('invalid_request', { errors: [{ field, message: `must be of: ${known.join(', ')}` }] });
}

/** @throws AppError `invalid_request` for what is no id of a message. */
export function checkedCursor(cursor: string): string {
  if (isDeliveryId(cursor)) return cursor;
  throw new AppError('invalid_request', {
    errors: [{ field: 'cursor', message: 'must be the nextCursor of a page of this list' }],
  });
}

export function isDeliveryId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}
