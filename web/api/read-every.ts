import { retryAfter } from './problem.ts';

/** The interval of a query that is read again and again. After a refusal it is the time after which the server accepts the request. */
export const readEvery =
  (everyMs: number) =>
  ({ state: { error } }: { state: { error: Error | null } }): number =>
    retryAfter(error) ?? everyMs;
