import { AsyncLocalStorage } from 'node:async_hooks';

/** Who acts in a request: a person, or an API token of an integration. */
export interface Actor {
  /** The person, or the token of an integration. */
  userId: string;
  /** The integrations that an API token is limited to. Undefined: all of the actor. */
  integrationIds?: readonly string[];
  /** The API token in use. */
  token?: ActingToken;
}

export interface ActingToken {
  tokenId: string;
  name: string;
  /** Whether an entry of the event log names the token. Set by the request. */
  isNoted?: boolean;
}

const storage = new AsyncLocalStorage<Actor | undefined>();

/**
 * Runs the work of an actor's request. Within it, the database opens the scope of an integration only if the actor belongs
 * to it, so that a route without a check exposes nothing.
 */
export function actAs<T>(actor: Actor | undefined, work: () => T): T {
  return storage.run(actor, work);
}

/** Undefined for background work. */
export function actingUser(): Actor | undefined {
  return storage.getStore();
}
