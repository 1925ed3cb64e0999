import { AsyncLocalStorage } from 'node:async_hooks';
import { ForgeError } from '../errors.ts';

const endsAt = new AsyncLocalStorage<number>();

/** Calls that `work` begins later than this fail. A forge that answers each call slowly must not keep a task for hours. */
export function withTimeLimit<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  return endsAt.run(performance.now() + limitMs, work);
}

/** @throws ForgeError when the task of the caller took too long. It is retried like any failure of the forge. */
export function checkTimeLimit(): void {
  if (performance.now() > (endsAt.getStore() ?? Infinity))
    throw new ForgeError(504, 'The forge answers too slowly for the task to finish in time.');
}
