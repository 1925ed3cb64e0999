import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ProviderKeys } from '../provider/keys.ts';
import type { PresentedPair, VerifiedTokens } from './verify-tokens.ts';

type Verify = (tokens: PresentedPair) => Promise<VerifiedTokens>;

/** Beyond it the pair unseen longest is forgotten, and verified when it comes again. */
const maxPairs = 10_000;

/**
 * Verifies a pair of tokens once, and not at each request, as long as the provider's keys have not been read anew
 * answers with the same object until then. What fails is not kept. Whatever depends on more than the tokens and
 * the keys, such as the time, is for the caller to look at each time.
 */
export function verifyOnce(verify: Verify, keys: Pick<ProviderKeys, 'current'>): Verify {
  let verifiedWith = keys.current();
  let pairs = new LRUCache<string, VerifiedTokens>({ max: maxPairs });
  return async (tokens) => {
    if (verifiedWith !== keys.current()) {
      verifiedWith = keys.current();
      pairs = new LRUCache({ max: maxPairs });
    }
    const ofTheseKeys = pairs;
    const name = digestOf(tokens);
    const known = ofTheseKeys.get(name);
    if (known !== undefined) return known;
    const verified = await verify(tokens);
    // Where the keys were read anew meanwhile, those that it was verified with are forgotten by now.
    ofTheseKeys.set(name, verified);
    return verified;
  };
}

/** The tokens, which let their bearer in, are not kept themselves. No token that holds has a line feed. */
function digestOf({ accessToken, idToken }: PresentedPair): string {
  return hash('sha256', `${accessToken}\n${idToken}`, 'base64');
}
