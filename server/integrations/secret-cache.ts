import { LRUCache } from 'lru-cache';
import type { Listener } from '#platform/database/listener.ts';
import {
  readWebhookSecrets,
  recordSecretUse,
  type SecretDeps,
  type WebhookSecrets,
} from './webhook-secret.ts';

/** The longest a copy may live, should every notification be lost. */
const longestAgeMs = 30_000;

/** Bounds the memory that callers with invented ids can take. */
const mostEntries = 10_000;

export interface SecretCache {
  /** The copy in memory; undefined when there is none, or it is too old. Rejects when the database does not answer. */
  kept(integrationId: string): Promise<WebhookSecrets | undefined> | undefined;
  /** Reads from the database, once for all who ask at the same time. Rejects when it does not answer. */
  read(integrationId: string): Promise<WebhookSecrets | undefined>;
  /** Puts on record which secret the forge signed with, when that is another one than before. Nobody waits for it. */
  noteUse(integrationId: string, secrets: WebhookSecrets, used: 'current' | 'previous'): void;
}

interface Entry {
  secrets: Promise<WebhookSecrets | undefined>;
  readAt: number;
  isReading: boolean;
}

/**
 * Short-lived copies of webhook secrets. A change of an integration anywhere reaches every process at once by
 * notification; a reader that was already under way when it came is not kept.
 */
export function makeSecretCache(deps: SecretDeps, listener: Listener): SecretCache {
  const entries = new LRUCache<string, Entry>({ max: mostEntries });

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
      // An unknown id is not kept: it may be created the next moment, and inventing ids costs nothing.
      if (found === undefined) drop();
    };
    secrets.then(keep, drop);
    return secrets;
  };

  /** The last write under way, by integration: copies of its secrets come and go, the order of writes stays. */
  const writes = new Map<string, { used: 'current' | 'previous'; isDone: Promise<void> }>();
  const noteUse: SecretCache['noteUse'] = (integrationId, secrets, used) => {
    const before = writes.get(integrationId);
    if ((before?.used ?? secrets.lastUsed) === used) return;
    secrets.lastUsed = used;
    const isDone = (before?.isDone ?? Promise.resolve())
      .then(() => recordSecretUse(deps.db, integrationId, used))
      .catch((error: unknown) => deps.log.warn({ err: error, integrationId }, 'use of a secret not recorded'))
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
      return entry !== undefined && deps.clock() - entry.readAt < longestAgeMs ? entry.secrets : undefined;
    },
  };
}

/** Whether both verify the same. */
export function isSameSecrets(one: WebhookSecrets | undefined, other: WebhookSecrets | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const [previous, otherPrevious] = [one.previous?.secret, other.previous?.secret];
  const isSamePrevious =
    previous === undefined || otherPrevious === undefined
      ? previous === otherPrevious
      : previous.equals(otherPrevious);
  return one.current.equals(other.current) && isSamePrevious;
}
