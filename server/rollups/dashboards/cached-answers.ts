import { LRUCache } from 'lru-cache';
import type { Tx } from '#platform/database/database.ts';
import { floor } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

/** Whatever changes with each transaction that stores events of the integration; read in the snapshot of `tx`. */
export type ReadChanges = (tx: Tx, integrationId: string) => Promise<string>;

/** Of all integrations together. A large one takes half a megabyte. */
const maxAnswers = 50;

/**
 * What dashboards were answered: until something is stored, or the next hour begins, the same question has the same answer.
 * An update lets every open dashboard ask again at once; the first is answered from the numbers, and the others with it.
 */
export class CachedAnswers {
  readonly #answers = new LRUCache<string, Promise<unknown>>({ max: maxAnswers });
  readonly #readChanges: ReadChanges;

  constructor(readChanges: ReadChanges) {
    this.#readChanges = readChanges;
  }

  /** `tx` must see one snapshot, as what `read` answers is kept under the changes that the snapshot has. */
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
