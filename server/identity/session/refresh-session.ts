import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { ProviderClient, Tokens } from '../provider/client.ts';
import type { RefreshResult, SharedRefreshes } from './shared-refresh.ts';
import { entryOfPerson, entryOfSession, type SignedOut } from './signed-out.ts';
import type { PresentedTokens, TokenCookies } from '../tokens/token-cookies.ts';
import { toCookieTokens } from '../sign-in/complete-sign-in.ts';
import { InvalidToken, type TokenVerifier, type VerifiedTokens } from '../tokens/verify-tokens.ts';

/** Outcome of one refresh token at the provider, shared by all its callers. */
export type RefreshOutcome =
  | { kind: 'renewed'; tokens: Tokens; verified: VerifiedTokens }
  | { kind: 'refused' }
  | { kind: 'unavailable' }
  | { kind: 'misconfigured' };

export interface RefreshSessionDeps {
  log: Log;
  clock: Clock;
  provider: ProviderClient;
  verifier: TokenVerifier;
  signedOut: SignedOut;
  sharedRefreshes: SharedRefreshes<RefreshOutcome>;
  cookies: TokenCookies;
}

/** A second tab that refreshes within this time gets the same tokens. */
const replayMs = 30_000;

/** Limits retries while the provider is unavailable. */
const failureMs = 1000;

/**
 * Returns new tokens, or undefined when the session has ended. Other failures leave the person signed in.
 * @throws AppError `missing_refresh_token`, `identity_provider_unavailable`, `identity_provider_misconfigured`.
 */
export async function refreshSession(
  deps: RefreshSessionDeps,
  presented: PresentedTokens,
): Promise<{ tokens: Tokens; expiresIn: number } | undefined> {
  const { refreshToken, idToken } = presented;
  if (refreshToken === undefined) throw new AppError('missing_refresh_token', { detail: 'Sign in.' });
  // Needs the provider's keys. Without them, a refresh would spend the old token and its result could not be
  // verified.
  let former = await previousSessionOf(deps, idToken);
  if (former !== undefined && (await deps.signedOut.isSignedOutNow(former))) return undefined;

  const outcome = await deps.sharedRefreshes.share(refreshToken, () => askProvider(deps, refreshToken));
  if (outcome === 'signed-out' || outcome.kind === 'refused') return undefined;
  if (outcome.kind === 'unavailable') throw unavailable();
  if (outcome.kind === 'misconfigured')
    throw new AppError('identity_provider_misconfigured', {
      detail: 'The identity provider does not accept this service. You stay signed in; the log says more.',
    });
  // The provider's keys may have been read again for the new tokens.
  former ??= await previousSessionOf(deps, idToken);
  if (!(await mayContinue(deps, former, outcome.verified))) return undefined;
  const expiresIn = Math.max(0, Math.floor(outcome.verified.expiresAt - deps.clock() / 1000));
  return { tokens: outcome.tokens, expiresIn };
}

async function previousSessionOf(
  { verifier }: RefreshSessionDeps,
  idToken: string | undefined,
): Promise<VerifiedTokens | undefined> {
  return idToken === undefined ? undefined : verifier.verifyEvenExpired({ idToken });
}

async function askProvider(
  deps: RefreshSessionDeps,
  refreshToken: string,
): Promise<RefreshResult<RefreshOutcome>> {
  const answer = await deps.provider.refresh(refreshToken);
  if (answer.kind === 'tokens') return judge(deps, answer.tokens, refreshToken);
  if (answer.kind === 'refused') return told({ kind: 'refused' }, replayMs);
  if (answer.kind === 'invalid') {
    deps.log.error({ err: answer.cause }, 'the tokens of a refresh are not valid; the session ends');
    return told({ kind: 'refused' }, replayMs);
  }
  if (answer.kind === 'misconfigured')
    deps.log.error({ err: answer.cause }, 'the identity provider refuses this service as its client');
  else deps.log.warn({ err: answer.cause }, 'the identity provider does not answer');
  return told({ kind: answer.kind }, failureMs);
}

async function judge(
  deps: RefreshSessionDeps,
  tokens: Tokens,
  refreshToken: string,
): Promise<RefreshResult<RefreshOutcome>> {
  try {
    const verified = await deps.verifier.verifyNew(tokens);
    const tooLarge = deps.cookies.tooLarge(toCookieTokens(tokens));
    if (tooLarge !== undefined) throw new InvalidToken(`the new ${tooLarge} is longer than a cookie may be`);
    return {
      outcome: { kind: 'renewed', tokens, verified },
      keptMs: replayMs,
      sessionId: verified.sessionId,
      endedBy: [entryOfSession(verified.sessionId), entryOfPerson(verified)],
      undo: () => deps.provider.revoke(tokens.refreshToken ?? refreshToken),
    };
  } catch (error) {
    deps.log.error({ err: error }, 'the tokens of a refresh are not valid; the session ends');
    if (!(error instanceof InvalidToken)) return told({ kind: 'unavailable' }, failureMs);
    await deps.provider.revoke(tokens.refreshToken ?? refreshToken);
    return told({ kind: 'refused' }, replayMs);
  }
}

function told(outcome: RefreshOutcome, keptMs: number): RefreshResult<RefreshOutcome> {
  return { outcome, keptMs, sessionId: undefined, endedBy: [], undo: async () => {} };
}

/**
 * True when the new tokens belong to the same person and neither the session nor the person was signed out. Without
 * an ID token the session counts as older than any sign-out everywhere.
 */
async function mayContinue(
  { log, signedOut }: RefreshSessionDeps,
  former: VerifiedTokens | undefined,
  verified: VerifiedTokens,
): Promise<boolean> {
  if (former !== undefined && former.subject !== verified.subject) {
    log.error('the identity provider gave tokens of somebody else for a refresh token');
    return false;
  }
  if (former !== undefined && former.sessionId !== verified.sessionId)
    log.info('a refresh changed the id of the session');
  return !(await signedOut.isSignedOutNow({ ...verified, issuedAt: former?.issuedAt ?? 0 }));
}

function unavailable(): AppError {
  return new AppError('identity_provider_unavailable', {
    detail: 'The identity provider does not answer. You stay signed in; try again shortly.',
    retryAfterSeconds: 5,
  });
}
