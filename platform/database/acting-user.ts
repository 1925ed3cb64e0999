import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string | undefined>();

/**
 * Runs the work of a user's request. Within it, the database opens the scope of an integration only if the user is a
 * member, so that a route without a check exposes nothing.
 */
export function actAs<T>(userId: string | undefined, work: () => T): T {
  return storage.run(userId, work);
}

/** Undefined for background work. */
export function actingUser(): string | undefined {
  return storage.getStore();
}
