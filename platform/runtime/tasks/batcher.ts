export interface BatcherOptions<Item, Result> {
  maxItems?: number;
  /** The total weight of a batch. A heavier item has a batch of its own. */
  maxWeight: number;
  weigh(item: Item): number;
  /**
   * Items with the same key keep their order and are never in two batches at a time. By default all items have the same
   * key, so one batch runs at a time.
   */
  keyOf?(item: Item): string;
  /** Batches that run at a time. */
  concurrency?: number;
  /** Returns one result for each item, in order. An error rejects its item, a rejection rejects all items of the batch. */
  work(items: Item[]): Promise<(Result | Error)[]>;
}

export interface Batcher<Item, Result> {
  add(item: Item): Promise<Result>;
  /** Resolves when every added item has its result. */
  idle(): Promise<void>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Combines items that arrive while batches run into the next batches. */
export function makeBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { keyOf = () => '', concurrency = 1 } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let isScheduled = false;
  const busyKeys = new Set<string>();
  const running = new Set<Promise<void>>();

  const startBatches = (): void => {
    isScheduled = false;
    while (running.size < concurrency) {
      const { batch, rest } = divide(waiting, busyKeys, options);
      waiting = rest;
      if (batch.length === 0) break;
      const keys = new Set(batch.map(({ item }) => keyOf(item)));
      for (const key of keys) busyKeys.add(key);
      const done = run(batch, options).then(() => {
        for (const key of keys) busyKeys.delete(key);
        running.delete(done);
        schedule();
      });
      running.add(done);
    }
  };

  /** Items that arrive in the same turn of the event loop share a batch. */
  const schedule = (): void => {
    if (!isScheduled) setImmediate(startBatches);
    isScheduled = true;
  };

  const isBusy = (): boolean => isScheduled || running.size > 0;

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (running.size < concurrency) schedule();
      }),
    idle: async () => {
      while (isBusy()) {
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.all(running);
      }
    },
  };
}

/** The next batch, and the items that keep waiting. */
function divide<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  busyKeys: ReadonlySet<string>,
  { maxItems = Infinity, maxWeight, weigh, keyOf = () => '' }: BatcherOptions<Item, Result>,
) {
  const batch: Waiting<Item, Result>[] = [];
  const rest: Waiting<Item, Result>[] = [];
  const blockedKeys = new Set(busyKeys);
  let sum = 0;
  for (const one of waiting) {
    const key = keyOf(one.item);
    const weight = batch.length < maxItems && !blockedKeys.has(key) ? weigh(one.item) : undefined;
    if (weight !== undefined && (batch.length === 0 || sum + weight <= maxWeight)) {
      sum += weight;
      batch.push(one);
    } else {
      // The later items of this key wait too.
      blockedKeys.add(key);
      rest.push(one);
    }
  }
  return { batch, rest };
}

async function run<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  { work }: BatcherOptions<Item, Result>,
): Promise<void> {
  try {
    const results = await work(batch.map(({ item }) => item));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index] as Result | Error;
      if (result instanceof Error) reject(result);
      else resolve(result);
    }
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
