import type { Authenticate } from '#platform/http/chain/chain.ts';
import type { UpsertUser } from './upsert-user.ts';
import type { SignedOut } from './session/signed-out.ts';
import type { TokenCookies } from './tokens/token-cookies.ts';
import { InvalidToken } from './tokens/token-pair.ts';
import type { TokenVerifier } from './tokens/verify-tokens.ts';

export interface AuthenticateDeps {
  upsertUser: UpsertUser;
  cookies: TokenCookies;
  verifier: TokenVerifier;
  signedOut: SignedOut;
}

/**
 * Reads the caller from the two tokens of a request. Every invalid token has the same result, so that callers learn
 * nothing from it.
 */
export function authenticateSession({
  upsertUser,
  cookies,
  verifier,
  signedOut,
}: AuthenticateDeps): Authenticate {
  return async (request) => {
    const { accessToken, idToken } = cookies.read(request);
    if (accessToken === undefined || idToken === undefined) return undefined;
    const verified = await verifier.verify({ accessToken, idToken }).catch((error: unknown) => {
      if (!(error instanceof InvalidToken)) throw error;
      request.log.info({ reason: error.message }, 'session token refused');
      return undefined;
    });
    if (verified === undefined || signedOut.isSignedOut(verified)) return undefined;
    const { username, sessionId, email, isEmailVerified } = verified;
    const userId = await upsertUser(verified);
    return { userId, username, email: email ?? null, isEmailVerified, sessionId };
  };
}
