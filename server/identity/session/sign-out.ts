import { setTimeout as delay } from 'node:timers/promises';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { ProviderClient } from '../provider/client.ts';
import { hashOfRefreshToken, openOutcome } from './shared-refresh.ts';
import { deleteRefreshes, lockSession } from './refresh-store.ts';
import { entryOfPerson, entryOfSession, entryOfToken, type SignedOut } from './signed-out.ts';
import { insertSignedOut, type NewSignedOut } from './signed-out-store.ts';
import { findUserIdByKey } from '../store.ts';
import type { PresentedTokens } from '../tokens/token-cookies.ts';
import type { VerifiedTokens } from '../tokens/token-pair.ts';
import type { TokenVerifier } from '../tokens/verify-tokens.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

export interface SignOutDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock' | 'sealer'> {
  provider: ProviderClient;
  verifier: TokenVerifier;
  signedOut: SignedOut;
  sessionMaxDays: number;
}

/** Sign-out waits at most this long for the revocation at the provider. */
const revocationMs = 3000;
/**
 * Ends the session of these tokens, expired or not, here and at the provider. `everywhere` ends all sessions of the
 * person. Returns the session and the provider's sign-out page, if it has one.
 */
export async function signOut(
  deps: SignOutDeps,
  presented: PresentedTokens,
  everywhere: boolean,
): Promise<{ url: string | undefined; session: VerifiedTokens | undefined }> {
  const { db, provider, signedOut } = deps;
  const session = await sessionOf(deps, presented);
  if (everywhere && session === undefined)
    throw new AppError('unauthenticated', { detail: 'Sign in again to sign out everywhere.' });
  const spent = await db.withScope('service', (tx) => endSession(deps, tx, presented, session, everywhere));
  await signedOut.reload();
  const revoked = Promise.all([...new Set(spent)].map((token) => provider.revoke(token)));
  await Promise.all([
    Promise.race([revoked, delay(revocationMs, undefined, { ref: false })]),
    everywhere ? restOfSecond(deps.clock) : undefined,
  ]);
  return { url: session && provider.signOutUrl(presented.idToken), session };
}

/**
 * "Sign out everywhere" ends all tokens of the current second, because `iat` has no fractions. After this wait, a new sign-in is
 * valid.
 */
async function restOfSecond(clock: Clock): Promise<void> {
  await delay(1000 - (clock() % 1000));
}

/** Undefined without the provider's keys: the tokens cannot be verified, so only the cookies are cleared. */
async function sessionOf(
  { verifier, log }: SignOutDeps,
  { accessToken, idToken }: PresentedTokens,
): Promise<VerifiedTokens | undefined> {
  const tokens = {
    ...(accessToken === undefined ? {} : { accessToken }),
    ...(idToken === undefined ? {} : { idToken }),
  };
  return verifier.verifyEvenExpired(tokens).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    log.warn({ err: error }, 'session not ended at sign-out: identity provider unavailable');
    return undefined;
  });
}

/**
 * Returns the refresh tokens to revoke: the given one, and the one that it was just exchanged for. Tokens of such an exchange may have
 * been issued in the same second, which an entry for the session does not end.
 */
async function endSession(
  { clock, sealer, sessionMaxDays }: SignOutDeps,
  tx: Tx,
  { refreshToken }: PresentedTokens,
  session: VerifiedTokens | undefined,
  everywhere: boolean,
): Promise<string[]> {
  if (session !== undefined) await lockSession(tx, session.sessionId);
  const refreshes = await deleteRefreshes(tx, {
    tokenHash: refreshToken === undefined ? undefined : hashOfRefreshToken(refreshToken),
    sessionId: session?.sessionId,
  });
  const renewed = refreshes
    .map(({ token_hash, outcome }) => openOutcome(sealer, token_hash, outcome))
    .filter((outcome) => outcome.kind === 'renewed');
  const pairs = [session, ...renewed.map(({ verified }) => verified)].filter((pair) => pair !== undefined);
  const entries: NewSignedOut[] = pairs.flatMap(({ tokenIds, lastsUntil }) =>
    tokenIds.map((id) => ({ entry: entryOfToken(id), expiresAt: new Date(lastsUntil * 1000) })),
  );
  const expiresAt = new Date(clock() + sessionMaxDays * dayMs);
  if (session !== undefined) {
    const { sessionId } = session;
    entries.push({ entry: entryOfSession(sessionId), sessionId, expiresAt });
    if (everywhere) {
      const userId = await findUserIdByKey(tx, session);
      entries.push({ entry: entryOfPerson(session), expiresAt, ...(userId === undefined ? {} : { userId }) });
    }
  }
  await insertSignedOut(tx, entries);
  return [refreshToken, ...renewed.map(({ tokens }) => tokens.refreshToken)].filter(
    (token) => token !== undefined,
  );
}
