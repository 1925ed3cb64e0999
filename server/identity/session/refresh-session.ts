import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { ProviderClient, Tokens } from '../provider/client.ts';
import type { RefreshResult, ShareRefresh } from './shared-refresh.ts';
import { entryOfPerson, entryOfSession, type SignedOut } from './signed-out.ts';
import type { PresentedTokens, TokenCookies } from '../tokens/token-cookies.ts';
import { toCookieTokens } from '../sign-in/complete-sign-in.ts';
import { InvalidToken, type VerifiedTokens } from '../tokens/token-pair.ts';
import type { TokenVerifier } from '../tokens/verify-tokens.ts';

export interface RefreshSessionDeps extends Pick<SharedDeps, 'log' | 'clock'> {
  provider: ProviderClient;
  verifier: TokenVerifier;
  signedOut: SignedOut;
  shareRefresh: ShareRefresh;
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
  // This needs the provider's keys. Without them, a refresh would use up the old token, and its result could not be
  // verified.
  let former = await previousSessionOf(deps, idToken);
  if (former !== undefined && (await deps.signedOut.isSignedOutNow(former))) return undefined;

  const outcome = await deps.shareRefresh(refreshToken, () => askProvider(deps, refreshToken));
  if (outcome === 'signed-out' || outcome.kind === 'refused') return undefined;
  if (outcome.kind === 'unavailable') throw unavailable();
  if (outcome.kind === 'misconfigured')
    throw new AppError('identity_provider_misconfigured', {
      detail: 'The identity provider rejects this service. You stay signed in. The log has the details.',
    });
  // The verification of the new tokens may have reloaded the provider's keys.
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

const refused: RefreshResult = { outcome: { kind: 'refused' }, keptMs: replayMs };

async function askProvider(deps: RefreshSessionDeps, refreshToken: string): Promise<RefreshResult> {
  const answer = await deps.provider.refresh(refreshToken);
  if (answer.kind === 'tokens') return verifyRefreshed(deps, answer.tokens, refreshToken);
  if (answer.kind === 'refused') return refused;
  if (answer.kind === 'invalid') {
    deps.log.error({ err: answer.cause }, 'refreshed tokens refused: session ends');
    return refused;
  }
  if (answer.kind === 'misconfigured')
    deps.log.error({ err: answer.cause }, 'identity provider rejects this client');
  else deps.log.warn({ err: answer.cause }, 'identity provider unavailable');
  return { outcome: { kind: answer.kind }, keptMs: failureMs };
}

async function verifyRefreshed(
  deps: RefreshSessionDeps,
  tokens: Tokens,
  refreshToken: string,
): Promise<RefreshResult> {
  const revoke = () => deps.provider.revoke(tokens.refreshToken ?? refreshToken);
  try {
    const verified = await deps.verifier.verifyNew(tokens);
    const tooLarge = deps.cookies.tooLarge(toCookieTokens(tokens));
    if (tooLarge !== undefined) throw new InvalidToken(`the new ${tooLarge} is larger than a cookie may be`);
    return {
      outcome: { kind: 'renewed', tokens, verified },
      keptMs: replayMs,
      continued: {
        sessionId: verified.sessionId,
        endedBy: [entryOfSession(verified.sessionId), entryOfPerson(verified)],
        undo: revoke,
      },
    };
  } catch (error) {
    deps.log.error({ err: error }, 'refreshed tokens refused: session ends');
    if (!(error instanceof InvalidToken)) return { outcome: { kind: 'unavailable' }, keptMs: failureMs };
    await revoke();
    return refused;
  }
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
    log.error('refresh refused: the tokens belong to another person');
    return false;
  }
  if (former !== undefined && former.sessionId !== verified.sessionId)
    log.info('session ID changed by a refresh');
  return !(await signedOut.isSignedOutNow({ ...verified, issuedAt: former?.issuedAt ?? 0 }));
}

function unavailable(): AppError {
  return new AppError('identity_provider_unavailable', {
    detail: 'The identity provider does not answer. You stay signed in. Try again shortly.',
    retryAfterSeconds: 5,
  });
}
