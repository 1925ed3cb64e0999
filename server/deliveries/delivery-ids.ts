import type { Tx } from '#platform/database/database.ts';
import { findDeliveries, type IdRange } from './store.ts';
import { findUnqueued } from './unqueued/unqueued-store.ts';

/** Whether `text` has the form of a Forgewatch delivery id: a number that fits a bigint. */
export function isDeliveryId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}

export function isBefore(id: string, other: string): boolean {
  return BigInt(id) < BigInt(other);
}

export const newestFirst = (one: string, other: string): number => (isBefore(one, other) ? 1 : -1);

/** The last Unicode character: greater than any character of an id. */
const lastCharacter = String.fromCodePoint(0x10ffff);
/** The first that an id may hold. */
const firstCharacter = '!';

export const idsStartingWith = (prefix: string): IdRange => ({ from: prefix, to: prefix + lastCharacter });
export const idsEqualTo = (id: string): IdRange => ({ from: id, to: id + firstCharacter });

/** Larger results are not sorted in memory. */
const maxFound = 1000;

/**
 * Forgewatch ids of the deliveries whose forge id is in the range, newest first. Undefined when there are more than a
 * thousand. Uses an index.
 */
export async function findIds(tx: Tx, integrationId: string, range: IdRange): Promise<string[] | undefined> {
  const [messages, unqueued] = await Promise.all([
    findDeliveries(tx, range, maxFound + 1),
    findUnqueued(tx, integrationId, range, maxFound + 1),
  ]);
  const ids = [...messages, ...unqueued];
  return ids.length > maxFound ? undefined : ids.sort(newestFirst);
}
