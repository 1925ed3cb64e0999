import * as openid from 'openid-client';

/**
 * Why the identity provider gave no tokens. `refused`: the code or refresh token is worth nothing any more;
 * `misconfigured`: it does not accept this service as a client; `unavailable`: it does not answer, try again;
 * `invalid`: it answered with something that must not be believed.
 */
export type ProviderFault = 'refused' | 'misconfigured' | 'unavailable' | 'invalid';

/** Whether the provider does not accept this client. With Basic it has to answer with a challenge (RFC 6749, 5.2). */
export function isInvalidClient(error: unknown): boolean {
  if (error instanceof openid.WWWAuthenticateChallengeError) return error.status === 401;
  return error instanceof openid.ResponseBodyError && error.error === 'invalid_client';
}

/** The rest is a proxy's error page, a broken connection and the like. */
const mustNotBeBelieved = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** Only `refused` ends a session. Any other fault leaves people signed in, so that an outage signs nobody out. */
export function providerFaultOf(error: unknown): ProviderFault {
  if (error instanceof openid.ResponseBodyError) return faultOfOAuthError(error.error, error.status);
  if (error instanceof openid.WWWAuthenticateChallengeError) return faultOfStatus(error.status);
  if (error instanceof openid.ClientError) {
    if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT') return 'unavailable';
    if (error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && error.cause instanceof Response)
      return faultOfStatus(error.cause.status);
    return mustNotBeBelieved.has(error.code ?? '') ? 'invalid' : 'unavailable';
  }
  // What fetch throws when there is no connection, or when it breaks.
  return 'unavailable';
}

/** Of what a provider says so much is read: the pattern looks through the rest from every start of its words. */
const longestDescription = 1000;

/**
 * The same of a refresh. Dex calls a refresh token that is spent or too old an invalid request, and says so in words
 * alone; without them nobody is signed out.
 */
export function refreshFaultOf(error: unknown): ProviderFault {
  const isOver =
    error instanceof openid.ResponseBodyError &&
    error.error === 'invalid_request' &&
    /refresh token\b.*\b(invalid|claimed|expired)\b/i.test(
      (error.error_description ?? '').slice(0, longestDescription),
    );
  return isOver ? 'refused' : providerFaultOf(error);
}

function faultOfOAuthError(error: string, status: number): ProviderFault {
  if (error === 'invalid_grant') return 'refused';
  if (error === 'temporarily_unavailable' || error === 'server_error' || error === 'slow_down')
    return 'unavailable';
  return faultOfStatus(status);
}

function faultOfStatus(status: number): ProviderFault {
  return status >= 500 || status === 429 || status === 408 ? 'unavailable' : 'misconfigured';
}
