import { createRandom } from './random.ts';

/** The number of items among which the next one is chosen. */
const windowSize = 10;

/** Repeats a share of the items, as redeliveries, and optionally changes the order, as a forge under load delivers. */
export function* disturb<T>(
  items: Iterable<T>,
  { seed, duplicates, shuffle }: { seed: string | number; duplicates: number; shuffle: boolean },
): Generator<T> {
  const random = createRandom(`disturb/${seed}`);
  const waiting: T[] = [];
  for (const item of items) {
    if (shuffle) waiting.push(item);
    else yield item;
    if (random.chance(duplicates)) waiting.push(item);
    while (waiting.length > windowSize) yield* waiting.splice(random.int(0, waiting.length - 1), 1);
  }
  yield* waiting;
}
