import type { SignInCookie } from '#contract/members/identity.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { bindingOf, type SignInBinding } from './sign-in-binding.ts';
import { isSamePerson } from '../tokens/claims.ts';
import type { ProviderClient, TokenResult, Tokens } from '../provider/client.ts';
import { redirectTarget } from './redirect-target.ts';
import { readSignInState } from './sign-in-state.ts';
import type { SignedOut } from '../session/signed-out.ts';
import { reopenSession } from '../session/signed-out-store.ts';
import type { PresentedTokens, TokenCookies } from '../tokens/token-cookies.ts';
import { InvalidToken, type VerifiedTokens } from '../tokens/token-pair.ts';
import type { TokenVerifier } from '../tokens/verify-tokens.ts';

/** Query of the redirect from the identity provider. */
interface CallbackQuery {
  code: string;
  state: string;
  iss: string | undefined;
}

const codeMaxChars = 2048;

/**
 * Reads the callback's query. Each parameter may occur once. The text of `error` is not shown, because anyone can
 * write such a link. @throws AppError `missing_code`, `invalid_state`, `sign_in_refused`
 */
function readCallbackQuery(query: URLSearchParams, issuer: string | undefined): CallbackQuery {
  for (const name of ['code', 'state', 'error', 'iss']) {
    if (query.getAll(name).length > 1)
      throw new AppError(name === 'code' ? 'missing_code' : 'invalid_state', {
        detail: `${name} was given twice.`,
      });
  }
  if (query.has('error')) {
    throw new AppError('sign_in_refused', {
      detail: 'The identity provider returned an error. The log has its code. Start the sign-in again.',
      cause: new Error(
        `the identity provider answered ${(query.get('error') ?? '').replace(/[^a-z_]/g, '?').slice(0, 60)}`,
      ),
    });
  }
  const code = query.get('code') ?? '';
  if (code === '' || code.length > codeMaxChars)
    throw new AppError('missing_code', { detail: 'Start the sign-in again.' });
  const iss = query.get('iss') ?? undefined;
  if (iss !== undefined && issuer !== undefined && iss !== issuer)
    throw new AppError('invalid_state', { detail: 'The response comes from another identity provider.' });
  return { code, state: query.get('state') ?? '', iss };
}

export interface CompleteSignInDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock'> {
  provider: ProviderClient;
  verifier: TokenVerifier;
  signedOut: SignedOut;
  cookies: TokenCookies;
  binding: SignInBinding;
  publicUrl: string;
  allowedOrigins: readonly string[];
}

export interface SignInRequest {
  query: URLSearchParams;
  cookie: SignInCookie | undefined;
  /** Tokens of the session that this browser already has. */
  presented: PresentedTokens;
}

export interface CompletedSignIn {
  location: string;
  tokens: Tokens;
  verified: VerifiedTokens;
  /** False when the sign-in did not start in the web app, so that nothing binds it to this browser. */
  isBound: boolean;
}

/**
 * Turns the identity provider's answer into a session. Both tokens are verified before the caller sets cookies.
 * @throws AppError `invalid_state`, `redirect_not_allowed`, `sign_in_not_bound`, `sign_in_refused`, `identity_provider_failed` and others
 */
export async function completeSignIn(
  deps: CompleteSignInDeps,
  { query, cookie, presented }: SignInRequest,
): Promise<CompletedSignIn> {
  const answer = readCallbackQuery(query, deps.provider.knownMetadata()?.issuer);
  const state = readSignInState(answer.state);
  if (state === undefined)
    throw new AppError('invalid_state', { detail: 'state is not base64 of a JSON object.' });
  const location = locationOf(deps, state.redirectUrl);
  const binding = bindingOf(state, cookie, deps.binding);
  if (binding.kind === 'foreign')
    throw new AppError('sign_in_not_bound', { detail: 'Start the sign-in again in this browser.' });
  const own = binding.kind === 'bound' ? binding.cookie : undefined;

  const tokens = tokensOf(
    await deps.provider.exchangeCode({ ...answer, codeVerifier: own?.codeVerifier, nonce: own?.nonce }),
  );
  refuseTooLarge(deps.cookies, tokens);
  const verified = await verify(deps, tokens, own?.nonce);
  if (own === undefined) await refuseOtherPerson(deps, presented, verified);
  await reopenSession(deps.db, verified.sessionId);
  endPreviousSession(deps, presented, tokens, verified).catch((error: unknown) =>
    deps.log.warn({ err: error }, 'previous session not ended'),
  );
  return { location, tokens, verified, isBound: own !== undefined };
}

/** The default is the start page. URLs of other origins are refused, because an open redirect helps phishing. */
function locationOf(
  { publicUrl, allowedOrigins }: CompleteSignInDeps,
  redirectUrl: string | undefined,
): string {
  if (redirectUrl === undefined) return `${publicUrl}/`;
  const target = redirectTarget(redirectUrl, publicUrl, allowedOrigins);
  if (target === undefined)
    throw new AppError('redirect_not_allowed', {
      detail: 'redirect_url must be a path of this service or a URL of an origin in WEB_ORIGINS.',
    });
  return target;
}

function tokensOf(answer: TokenResult): Tokens {
  if (answer.kind === 'tokens') return answer.tokens;
  if (answer.kind === 'refused')
    throw new AppError('identity_provider_failed', {
      detail: 'The code of this sign-in was already used. Start the sign-in again.',
      cause: answer.cause,
    });
  throw new AppError('identity_provider_failed', {
    detail: 'The response of the identity provider is not valid. Try again. The log has the details.',
    cause: answer.cause,
  });
}

async function verify(
  { verifier, signedOut }: CompleteSignInDeps,
  tokens: Tokens,
  nonce: string | undefined,
): Promise<VerifiedTokens> {
  const verified = await verifier.verifyNew(tokens).catch((cause: unknown) => {
    if (!(cause instanceof InvalidToken) && !(cause instanceof AppError)) throw cause;
    throw new AppError('identity_provider_failed', {
      detail: 'The tokens of the identity provider are not valid. The log has the reason.',
      cause,
    });
  });
  if (nonce !== undefined && verified.nonce !== nonce)
    throw new AppError('identity_provider_failed', {
      detail: 'The answer of the identity provider belongs to another sign-in. Sign in again.',
      cause: new Error('the nonce belongs to another sign-in'),
    });
  if (verified.scopes.includes('aws.cognito.signin.user.admin'))
    throw new AppError('identity_provider_misconfigured', {
      detail:
        'The scope aws.cognito.signin.user.admin lets people change their own identity. Remove it from the client at the identity provider.',
      cause: new Error('the access token has the scope aws.cognito.signin.user.admin'),
    });
  if (await signedOut.isSignedOutNow(verified))
    throw new AppError('identity_provider_failed', {
      detail: 'The session has ended. Sign in again.',
      cause: new Error('the session of the tokens has ended'),
    });
  return verified;
}

/**
 * A sign-in that this browser did not start never replaces the session of another person, if that session is valid or can be
 * renewed. The ID token shows whose session it is, even if it has expired. A refresh token without a readable ID token counts
 * as another person's.
 */
async function refuseOtherPerson(
  { verifier, signedOut, clock }: CompleteSignInDeps,
  { idToken, refreshToken }: PresentedTokens,
  verified: VerifiedTokens,
): Promise<void> {
  const present = idToken === undefined ? undefined : await verifier.verifyEvenExpired({ idToken });
  const expiresAt = present?.expiresAt ?? 0;
  if (refreshToken === undefined && expiresAt <= clock() / 1000) return;
  if (present !== undefined && (isSamePerson(present, verified) || signedOut.isSignedOut(present))) return;
  throw new AppError('sign_in_not_bound', {
    detail: 'Another person may be signed in here. Start the sign-in again in this browser.',
  });
}

function refuseTooLarge(cookies: TokenCookies, tokens: Tokens): void {
  const name = cookies.tooLarge(toCookieTokens(tokens));
  if (name === undefined) return;
  const problem = `The ${name} of the identity provider is larger than a cookie may be (4,096 bytes). Reduce the number of claims in the token.`;
  throw new AppError('identity_provider_misconfigured', { detail: problem, cause: new Error(problem) });
}

/** The tokens to set as cookies, without a missing refresh token. */
export function toCookieTokens({ accessToken, idToken, refreshToken }: Tokens): PresentedTokens {
  return { accessToken, idToken, ...(refreshToken === undefined ? {} : { refreshToken }) };
}

/**
 * Revokes the previous session in the background. A provider may continue the same session at a second sign-in;
 * Keycloak would then revoke the new tokens with the old one, so that session is left alone.
 */
async function endPreviousSession(
  { provider, verifier }: CompleteSignInDeps,
  { refreshToken, idToken }: PresentedTokens,
  tokens: Tokens,
  verified: VerifiedTokens,
): Promise<void> {
  if (refreshToken === undefined || refreshToken === tokens.refreshToken) return;
  const former = await verifier.verifyEvenExpired(idToken === undefined ? {} : { idToken });
  if (former?.sessionId !== verified.sessionId) await provider.revoke(refreshToken);
}
