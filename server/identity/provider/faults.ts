import * as openid from 'openid-client';

/**
 * Why a token request failed. `refused`: the code or refresh token is not valid. `misconfigured`: the provider rejects this client.
 * `unavailable`: the provider does not answer, so a retry may succeed. `invalid`: the answer cannot be trusted.
 */
export type ProviderFault = 'refused' | 'misconfigured' | 'unavailable' | 'invalid';

/** Whether the provider rejects this client. After HTTP Basic it answers with a challenge (RFC 6749, 5.2). */
export function isInvalidClient(error: unknown): boolean {
  if (error instanceof openid.WWWAuthenticateChallengeError) return error.status === 401;
  return error instanceof openid.ResponseBodyError && error.error === 'invalid_client';
}

/** Other codes come from error pages of proxies and broken connections. */
const untrustedAnswers = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** Only `refused` ends a session, so that an outage signs nobody out. */
export function providerFaultOf(error: unknown): ProviderFault {
  if (error instanceof openid.ResponseBodyError) return faultOfOAuthError(error.error, error.status);
  if (error instanceof openid.WWWAuthenticateChallengeError) return faultOfStatus(error.status);
  if (error instanceof openid.ClientError) {
    if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT') return 'unavailable';
    if (error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && error.cause instanceof Response)
      return faultOfStatus(error.cause.status);
    return untrustedAnswers.has(error.code ?? '') ? 'invalid' : 'unavailable';
  }
  // `fetch` throws other errors when a connection fails or breaks.
  return 'unavailable';
}

/** Limits the text for the pattern below, whose time grows with the square of the length. */
const longestDescription = 1000;

/**
 * Like `providerFaultOf`, for a refresh. Dex answers `invalid_request` to a used or expired refresh token and gives the reason only
 * as text.
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
