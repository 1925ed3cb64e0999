import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string | undefined>();

/**
 * Runs what somebody asked for. Every scope of an integration that is opened meanwhile is theirs only if they are a
 * member: the database looks that up itself, so that a route whose check is missing shows nothing.
 */
export function actAs<T>(userId: string | undefined, work: () => T): T {
  return storage.run(userId, work);
}

/** Undefined for what the service does by itself. */
export function actingUser(): string | undefined {
  return storage.getStore();
}
