import { hash } from 'node:crypto';
import type { ProviderKeys } from './provider-keys.ts';
import type { PresentedPair, VerifiedTokens } from './verify-tokens.ts';

type Verify = (tokens: PresentedPair) => Promise<VerifiedTokens>;

/** Beyond it the pair unseen longest is forgotten, and verified when it comes again. */
const keptMost = 10_000;

/**
 * Verifies a pair of tokens once, and not at each request, as long as the provider's keys have not been read anew
 * answers with the same object until then. What fails is not kept. Whatever depends on more than the tokens and
 * the keys, such as the time, is for the caller to look at each time.
 */
export function verifyOnce(verify: Verify, keys: Pick<ProviderKeys, 'current'>): Verify {
  let verifiedWith = keys.current();
  let pairs = new Map<string, VerifiedTokens>();
  return async (tokens) => {
    if (verifiedWith !== keys.current()) {
      verifiedWith = keys.current();
      pairs = new Map();
    }
    const ofTheseKeys = pairs;
    const name = digestOf(tokens);
    const verified = ofTheseKeys.get(name) ?? (await verify(tokens));
    ofTheseKeys.delete(name);
    ofTheseKeys.set(name, verified);
    const [oldest] = ofTheseKeys.keys();
    if (ofTheseKeys.size > keptMost && oldest !== undefined) ofTheseKeys.delete(oldest);
    return verified;
  };
}

/** The tokens, which let their bearer in, are not kept themselves. No token that holds has a line feed. */
function digestOf({ accessToken, idToken }: PresentedPair): string {
  return hash('sha256', `${accessToken}\n${idToken}`, 'base64');
}
