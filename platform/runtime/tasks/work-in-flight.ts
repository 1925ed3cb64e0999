import { setTimeout as delay } from 'node:timers/promises';

/** What a loop has started and not awaited, so that slow work delays only itself. */
export interface WorkInFlight<Item> {
  items(): Item[];
  start(item: Item, work: Promise<void>): void;
  /** Resolves when one is done, or after `mostMs`. */
  oneDone(mostMs: number, signal: AbortSignal): Promise<void>;
  allDone(): Promise<void>;
}

export function makeWorkInFlight<Item>(onError: (error: unknown, item: Item) => void): WorkInFlight<Item> {
  const running = new Map<Promise<void>, Item>();
  return {
    items: () => [...running.values()],
    start: (item, work) => {
      const done: Promise<void> = work
        .catch((error: unknown) => onError(error, item))
        .finally(() => running.delete(done));
      running.set(done, item);
    },
    oneDone: (mostMs, signal) =>
      Promise.race([...running.keys(), delay(mostMs, undefined, { signal }).catch(() => {})]),
    allDone: async () => void (await Promise.all(running.keys())),
  };
}
