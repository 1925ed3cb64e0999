import type { Authenticate } from '#platform/http/chain/chain.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { tokenOf, type AuthenticateToken } from '#server/api-tokens/authenticate-token.ts';
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
  authenticateToken: AuthenticateToken;
}

/**
 * Identifies the caller by an API token or by the cookies of a session. A request with both is refused, because it is not
 * clear in whose name it acts.
 */
export function makeAuthenticate(deps: AuthenticateDeps): Authenticate {
  const authenticateSession = makeAuthenticateSession(deps);
  return async (request) => {
    const token = tokenOf(request);
    if (token === undefined) return authenticateSession(request);
    if (Object.keys(deps.cookies.read(request)).length > 0) {
      throw new AppError('ambiguous_credentials', {
        detail: 'Send an API token or the cookies of a session, not both.',
      });
    }
    return deps.authenticateToken(request, token);
  };
}

/**
 * Reads the caller from the two tokens of a session. Every invalid token has the same result, so that callers learn
 * nothing from it.
 */
function makeAuthenticateSession({
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
