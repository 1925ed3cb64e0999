import { hash } from 'node:crypto';
import { growingCache } from '#platform/runtime/growing-cache.ts';
import type { ProviderKeys } from '../provider/keys/keys.ts';
import type { PresentedPair, VerifiedTokens } from './token-pair.ts';

type Verify = (tokens: PresentedPair) => Promise<VerifiedTokens>;

/** Least recently used pairs are evicted. */
const maxPairs = 10_000;

/**
 * Caches verified pairs until the provider's keys are reloaded; returns the same object for the same pair. Failures
 * are not cached. The caller checks everything that depends on the time.
 */
export function verifyOnce(verify: Verify, keys: Pick<ProviderKeys, 'current'>): Verify {
  let verifiedWith = keys.current();
  let pairs = growingCache<string, VerifiedTokens>(maxPairs);
  return async (tokens) => {
    if (verifiedWith !== keys.current()) {
      verifiedWith = keys.current();
      pairs = growingCache(maxPairs);
    }
    const ofTheseKeys = pairs;
    const name = digestOf(tokens);
    const known = ofTheseKeys.get(name);
    if (known !== undefined) return known;
    const verified = await verify(tokens);
    // A reload during the verification replaced the cache, so this entry is dropped with the old keys.
    ofTheseKeys.set(name, verified);
    return verified;
  };
}

/** Keeps no bearer token in memory. A valid token contains no line feed. */
function digestOf({ accessToken, idToken }: PresentedPair): string {
  return hash('sha256', `${accessToken}\n${idToken}`, 'base64');
}
