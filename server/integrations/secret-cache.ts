import { LRUCache } from 'lru-cache';
import type { Listener } from '#platform/database/listener.ts';
import { readWebhookSecrets, type SecretDeps, type WebhookSecrets } from './webhook-secret.ts';

/** The longest a copy may live, should every notification be lost (ingestion.md, ingress step 2). */
const longestAgeMs = 30_000;

/** Bounds the memory that callers with invented ids can take. */
const mostEntries = 10_000;

export interface SecretCache {
  /** Rejects when the database does not answer. */
  find(integrationId: string): Promise<WebhookSecrets | undefined>;
  /** Forgets one integration in this process, for changes it made itself. */
  forget(integrationId: string): void;
}

/**
 * Short-lived copies of webhook secrets. A change of an integration anywhere reaches every process at once by
 * notification; a reader that was already under way when it came is not kept.
 */
export function makeSecretCache(deps: SecretDeps, listener: Listener): SecretCache {
  const entries = new LRUCache<string, { secrets: Promise<WebhookSecrets | undefined>; readAt: number }>({
    max: mostEntries,
  });

  const read = (integrationId: string): Promise<WebhookSecrets | undefined> => {
    const entry = { secrets: readWebhookSecrets(deps, integrationId), readAt: deps.clock() };
    entries.set(integrationId, entry);
    const drop = (): void => {
      if (entries.get(integrationId) === entry) entries.delete(integrationId);
    };
    // An unknown id is not kept: it may be created the next moment, and inventing ids costs nothing.
    entry.secrets.then((secrets) => secrets ?? drop(), drop);
    return entry.secrets;
  };

  listener.on('integration_changed', (integrationId) => entries.delete(integrationId));
  listener.onConnect(() => entries.clear());
  return {
    find: (integrationId) => {
      const entry = entries.get(integrationId);
      const fresh = entry !== undefined && deps.clock() - entry.readAt < longestAgeMs;
      return fresh ? entry.secrets : read(integrationId);
    },
    forget: (integrationId) => entries.delete(integrationId),
  };
}
