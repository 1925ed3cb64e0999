import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { usableKeys } from './usable-keys.ts';

/** Signing keys of the identity provider. */
export interface ProviderKeys {
  /** Reloads the keys periodically, so that a withdrawn key stops working. */
  readonly service: Service;
  /**
   * Returns a known key. Reloads the keys for an unknown ID, but not more often than `reloadPauseMs`.
   * @throws KeysUnavailable when the key is unknown and the last reload failed
   */
  find(kid: string): Promise<CryptoKey | undefined>;
  /** Like `find`, for a token that the provider has just issued: an ID that is new to this process is looked up without the pause. */
  findNew(kid: string): Promise<CryptoKey | undefined>;
  /** Keys in force, by key ID. Each reload makes a new map. */
  current(): ReadonlyMap<string, CryptoKey>;
}

/** The provider's keys are unavailable, so tokens cannot be verified. */
export class KeysUnavailable extends Error {}

export interface ProviderKeysDeps extends Pick<SharedDeps, 'log' | 'clock'> {
  /** The URL of the keys (`jwks_uri`). */
  address(): Promise<string>;
  fetch: typeof globalThis.fetch;
  /** Returns the JWK set of a provider that is not asked. */
  known?: (() => unknown) | undefined;
  policy?: Partial<KeyPolicy>;
}

interface KeyPolicy {
  refreshEveryMs: number;
  /** Minimum time between two reloads for unknown IDs, whether or not they succeed. */
  reloadPauseMs: number;
  /** How long the last keys stay valid if reloads fail. */
  keepMs: number;
}

const defaultPolicy: KeyPolicy = { refreshEveryMs: 600_000, reloadPauseMs: 10_000, keepMs: 24 * 3_600_000 };
const none: ReadonlyMap<string, CryptoKey> = new Map();
const timeoutMs = 3000;

/** Number of unknown IDs that are remembered, so that tokens with random IDs cannot fill the memory. */
const maxWantedIds = 1000;

export function makeProviderKeys(deps: ProviderKeysDeps): ProviderKeys {
  const { address, fetch, known, clock, log, policy } = deps;
  const { refreshEveryMs, reloadPauseMs, keepMs } = { ...defaultPolicy, ...policy };
  let keys: ReadonlyMap<string, CryptoKey> = new Map();
  /** When the reload that returned `keys` started. */
  let readAt = -Infinity;
  /** When the last reload for an unknown ID started. */
  let askedAt = -Infinity;
  let failure: unknown;
  let asking: Promise<void> | undefined;
  /** When an ID of a new token was first requested. Only a reload that started later can show that the key does not exist. */
  const wantedSince = new LRUCache<string, number>({ max: maxWantedIds });

  const read = async (): Promise<void> => {
    const began = clock();
    try {
      keys = await usableKeys(known?.() ?? (await fetchSet(await address(), fetch)));
      readAt = began;
      failure = undefined;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const ask = (): Promise<void> => {
    asking ??= read().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const current = (): ReadonlyMap<string, CryptoKey> => (clock() - readAt <= keepMs ? keys : none);

  const find = async (kid: string, mayAsk: () => boolean): Promise<CryptoKey | undefined> => {
    if (!current().has(kid) && asking !== undefined) await asking.catch(() => {});
    if (!current().has(kid) && mayAsk()) {
      askedAt = clock();
      await ask().catch(() => {});
    }
    const found = current().get(kid);
    if (found === undefined && failure !== undefined)
      throw new KeysUnavailable('keys of the identity provider unavailable', { cause: failure });
    return found;
  };
  const isDue = (): boolean => clock() - askedAt >= reloadPauseMs;
  return {
    service: repeat(log, 'read the keys of the identity provider', refreshEveryMs, ask),
    current,
    find: (kid) => find(kid, isDue),
    findNew: (kid) => {
      const since = wantedSince.get(kid) ?? clock();
      wantedSince.set(kid, since);
      return find(kid, () => isDue() || readAt < since);
    },
  };
}

async function fetchSet(url: string, fetch: typeof globalThis.fetch): Promise<unknown> {
  const answer = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!answer.ok) throw new Error(`the URL of the keys answered ${answer.status}`);
  return answer.json();
}
