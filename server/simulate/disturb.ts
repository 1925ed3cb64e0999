import { createHeap } from './heap.ts';
import { createRandom } from './random.ts';

/**
 * Yields the items in another order. With `window` it is lazy and no item moves past `window` others, as a forge under load
 * delivers. Without it, all items are collected and shuffled.
 */
export function* shuffle<T>(
  items: Iterable<T>,
  { seed, window = Infinity }: { seed: string | number; window?: number },
): Generator<T> {
  const random = createRandom(`shuffle/${seed}`);
  if (window === Infinity) {
    yield* random.shuffled([...items]);
    return;
  }
  const waiting = createHeap<T>();
  let index = 0;
  for (const item of items) {
    waiting.push(index + random.next() * window, item);
    // Later items get later places, so the items that are due now are final.
    while (waiting.peekKey() <= index) yield waiting.pop() as T;
    index += 1;
  }
  while (waiting.size > 0) yield waiting.pop() as T;
}

/** Repeats a `share` of the items once, up to `within` items later: the same item with the same delivery id, as a redelivery. */
export function* duplicate<T>(
  items: Iterable<T>,
  { seed, share, within = 50 }: { seed: string | number; share: number; within?: number },
): Generator<T> {
  const random = createRandom(`duplicate/${seed}`);
  const waiting = createHeap<T>();
  let index = 0;
  for (const item of items) {
    yield item;
    if (random.chance(share)) waiting.push(index + random.int(1, within), item);
    index += 1;
    while (waiting.peekKey() <= index) yield waiting.pop() as T;
  }
  while (waiting.size > 0) yield waiting.pop() as T;
}
