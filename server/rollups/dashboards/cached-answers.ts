import { LRUCache } from 'lru-cache';
import type { Tx } from '#platform/database/database.ts';
import { floor } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

/** Reads a value that changes with each transaction that stores events of the integration, in the snapshot of `tx`. */
export type ReadChanges = (tx: Tx, integrationId: string) => Promise<string>;

/** For all integrations together. A large answer takes half a megabyte. */
const maxAnswers = 50;

/**
 * Caches the answers to dashboards until an event is stored or the next hour begins. After an update all open dashboards ask
 * again at the same time: the first request reads the numbers, and the others get its answer.
 */
export class CachedAnswers {
  readonly #answers = new LRUCache<string, Promise<unknown>>({ max: maxAnswers });
  readonly #readChanges: ReadChanges;

  constructor(readChanges: ReadChanges) {
    this.#readChanges = readChanges;
  }

  /** `tx` must read from one snapshot, because the answer of `read` is cached under the changes in that snapshot. */
  async answer<T>(
    tx: Tx,
    { integrationId, question, now }: { integrationId: string; question: unknown; now: number },
    read: () => Promise<T>,
  ): Promise<T> {
    const changes = await this.#readChanges(tx, integrationId);
    const key = JSON.stringify([integrationId, changes, floor(now, hourMs), question]);
    const cached = this.#answers.get(key);
    if (cached !== undefined) return cached as Promise<T>;
    const answer = read();
    this.#answers.set(key, answer);
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }
}
