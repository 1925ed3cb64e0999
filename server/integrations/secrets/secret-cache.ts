import type { Listener } from '#platform/database/listener.ts';
import { growingCache } from '#platform/runtime/growing-cache.ts';
import {
  readWebhookSecrets,
  recordSecretUse,
  type SecretDeps,
  type WebhookSecrets,
} from './webhook-secret.ts';

/** Maximum age of an entry, in case a notification is lost. */
const maxAgeMs = 30_000;

/** Bounds the memory that requests with invented ids can use. */
const maxEntries = 10_000;

export interface SecretCache {
  /** The cached entry; undefined when there is none or it is too old. Rejects when the database is not available. */
  kept(integrationId: string): Promise<WebhookSecrets | undefined> | undefined;
  /** Reads from the database. Concurrent calls share one read. Rejects when the database is not available. */
  read(integrationId: string): Promise<WebhookSecrets | undefined>;
  /** Records in the background which secret the forge used, when it changed. */
  noteUse(integrationId: string, secrets: WebhookSecrets, used: 'current' | 'previous'): void;
}

interface Entry {
  secrets: Promise<WebhookSecrets | undefined>;
  readAt: number;
  isReading: boolean;
}

/**
 * Caches webhook secrets for a short time. A notification removes a changed entry in every process at once, including an entry
 * that is still being read.
 */
export function makeSecretCache(deps: SecretDeps, listener: Listener): SecretCache {
  const entries = growingCache<string, Entry>(maxEntries);

  const read = (integrationId: string): Promise<WebhookSecrets | undefined> => {
    const underWay = entries.get(integrationId);
    if (underWay?.isReading === true) return underWay.secrets;
    const secrets = readWebhookSecrets(deps, integrationId);
    const entry = { secrets, readAt: deps.clock(), isReading: true };
    entries.set(integrationId, entry);
    const drop = (): void => {
      if (entries.get(integrationId) === entry) entries.delete(integrationId);
    };
    const keep = (found: WebhookSecrets | undefined): void => {
      entry.isReading = false;
      // Do not cache unknown ids: they may be created at any time, and requests can invent them.
      if (found === undefined) drop();
    };
    secrets.then(keep, drop);
    return secrets;
  };

  /** The pending write of each integration, so that writes stay in order although entries are evicted. */
  const writes = new Map<string, { used: 'current' | 'previous'; isDone: Promise<void> }>();
  const noteUse: SecretCache['noteUse'] = (integrationId, secrets, used) => {
    const before = writes.get(integrationId);
    if ((before?.used ?? secrets.lastUsed) === used) return;
    secrets.lastUsed = used;
    const isDone = (before?.isDone ?? Promise.resolve())
      .then(() => recordSecretUse(deps.db, integrationId, used))
      .catch((error: unknown) =>
        deps.log.warn({ err: error, integrationId }, 'webhook secret use not recorded'),
      )
      .finally(() => {
        if (writes.get(integrationId)?.isDone === isDone) writes.delete(integrationId);
      });
    writes.set(integrationId, { used, isDone });
  };

  listener.on('integration_changed', (integrationId) => entries.delete(integrationId));
  listener.onConnect(() => entries.clear());
  return {
    read,
    noteUse,
    kept: (integrationId) => {
      const entry = entries.get(integrationId);
      return entry !== undefined && deps.clock() - entry.readAt < maxAgeMs ? entry.secrets : undefined;
    },
  };
}

/** Whether both verify the same signatures. */
export function isSameSecrets(one: WebhookSecrets | undefined, other: WebhookSecrets | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const [previous, otherPrevious] = [one.previous?.secret, other.previous?.secret];
  const isSamePrevious =
    previous === undefined || otherPrevious === undefined
      ? previous === otherPrevious
      : previous.equals(otherPrevious);
  return one.current.equals(other.current) && isSamePrevious;
}
