/**
 * Processes items in batches, one batch at a time: items that arrive during a batch form the next one. A failed batch rejects only
 * its own items.
 */
export function makeBatcher<Item, Result>(
  maxWeight: number,
  weigh: (item: Item) => number,
  work: (items: Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(
        0,
        countWithin(
          waiting.map(({ item }) => weigh(item)),
          maxWeight,
        ),
      );
      waiting = waiting.slice(batch.length);
      try {
        const results = await work(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // Wait for the items that arrive in the same turn of the event loop.
      setImmediate(() => void run());
    });
}

/** The number of leading items within the weight, at least one. */
function countWithin(weights: readonly number[], maxWeight: number): number {
  let sum = 0;
  const over = weights.findIndex((weight) => (sum += weight) > maxWeight);
  return over === -1 ? weights.length : Math.max(1, over);
}
