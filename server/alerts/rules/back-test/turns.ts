import { AsyncLocalStorage } from 'node:async_hooks';
import { makeBatcher } from '#platform/runtime/tasks/batcher.ts';

/** Evaluating the longest history takes seconds, in which it holds a connection of the pool. */
const atOnce = 2;

export type TakeTurn = <T>(userId: string, work: () => Promise<T>) => Promise<T>;

/**
 * Evaluates histories for one person after the other, two at a time and each person once, so that nobody takes all connections
 * to the database.
 */
export function makeTurns(): TakeTurn {
  const turns = makeBatcher<{ userId: string; work(): Promise<unknown> }, unknown>({
    maxItems: 1,
    maxWeight: 1,
    weigh: () => 1,
    keyOf: ({ userId }) => userId,
    concurrency: atOnce,
    work: (batch) => Promise.all(batch.map(({ work }) => work())),
  });
  // The database reads who acts from the context, which is otherwise that of the turn before.
  return (userId, work) =>
    turns.add({ userId, work: AsyncLocalStorage.bind(work) }) as ReturnType<typeof work>;
}
