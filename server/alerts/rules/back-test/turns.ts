import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '#platform/runtime/app-error.ts';
import { makeBatcher } from '#platform/runtime/tasks/batcher.ts';

/** Evaluating the longest history takes seconds, in which it holds a connection of the pool. */
const atOnce = 2;

/** Running and waiting ones of a person, and of all. A turn takes seconds, and a waiting caller a connection of the server. */
const mostOfPerson = 4;
const mostOfAll = 20;

export type TakeTurn = <T>(
  userId: string,
  work: () => Promise<T>,
  options?: { mustRun: boolean },
) => Promise<T>;

/**
 * Evaluates histories for one person after the other, two at a time and each person once, so that nobody takes all connections
 * to the database. Too many calls are refused with `too_many_requests`, unless they must run.
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
  const callers: string[] = [];
  return async (userId, work, { mustRun } = { mustRun: false }) => {
    const isFull =
      callers.length >= mostOfAll || callers.filter((id) => id === userId).length >= mostOfPerson;
    if (isFull && !mustRun) {
      const detail = 'Too many rules are being tested. Wait until some are done.';
      throw new AppError('too_many_requests', { detail, retryAfterSeconds: 5 });
    }
    callers.push(userId);
    try {
      // The database reads who acts from the context, which is otherwise that of the turn before.
      return (await turns.add({ userId, work: AsyncLocalStorage.bind(work) })) as Awaited<
        ReturnType<typeof work>
      >;
    } finally {
      callers.splice(callers.indexOf(userId), 1);
    }
  };
}
