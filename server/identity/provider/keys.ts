import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { usableKeys } from './usable-keys.ts';

/** Signing keys of the identity provider. */
export interface ProviderKeys {
  /** Reloads the keys periodically, so that a withdrawn key stops working. */
  readonly service: Service;
  /**
   * Undefined when the provider has no such key, as far as it was asked: a key younger than the last question is found
   * by `findNew` when the session is renewed. @throws KeysUnavailable when the last question had no answer
   */
  find(kid: string): Promise<CryptoKey | undefined>;
  /** The same for what the provider signed this moment: an id that is new to us is asked for whenever the last one was. */
  findNew(kid: string): Promise<CryptoKey | undefined>;
  /** Keys in force, by key ID. Each reload makes a new map. */
  current(): ReadonlyMap<string, CryptoKey>;
}

/** The provider's keys are unavailable, so tokens cannot be verified. */
export class KeysUnavailable extends Error {}

export interface ProviderKeysDeps {
  /** Where the keys are; asks the provider when that is not known yet. */
  address(): Promise<string>;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  log: Log;
  policy?: Partial<KeyPolicy>;
}

interface KeyPolicy {
  refreshEveryMs: number;
  /** Ids that nobody knows lead to one question in this time, whatever came of it. */
  askAgainMs: number;
  /** As long as the provider does not answer, the last keys count; not for ever. */
  keepMs: number;
}

const defaultPolicy: KeyPolicy = { refreshEveryMs: 600_000, askAgainMs: 10_000, keepMs: 24 * 3_600_000 };
const none: ReadonlyMap<string, CryptoKey> = new Map();
const timeoutMs = 3000;

/** Ids that nobody knows and that are remembered; one beyond that is new each time. */
const maxWantedIds = 1000;

export function makeProviderKeys({ address, fetch, clock, log, policy }: ProviderKeysDeps): ProviderKeys {
  const { refreshEveryMs, askAgainMs, keepMs } = { ...defaultPolicy, ...policy };
  let keys: ReadonlyMap<string, CryptoKey> = new Map();
  /** When the reading began that `keys` are of. */
  let readAt = -Infinity;
  /** When somebody last asked because of an id that nobody knows. */
  let askedAt = -Infinity;
  let failure: unknown;
  let asking: Promise<void> | undefined;
  /** When an id of a new token was first wanted: only a reading that began after that tells that there is none. */
  const wantedSince = new LRUCache<string, number>({ max: maxWantedIds });

  const read = async (): Promise<void> => {
    const began = clock();
    try {
      keys = await usableKeys(await fetchSet(await address(), fetch));
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
      throw new KeysUnavailable('the keys of the identity provider are not known', { cause: failure });
    return found;
  };
  const isDue = (): boolean => clock() - askedAt >= askAgainMs;
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
  if (!answer.ok) throw new Error(`the keys' address answered ${answer.status}`);
  return answer.json();
}
