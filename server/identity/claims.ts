import type { JWTPayload } from 'jose';
import { isCognito } from './provider-metadata.ts';

/** What a pair of verified tokens says of the person and their session. Copied field by field, never spread. */
export interface Identity {
  subject: string;
  username: string;
  /** Stays the same while the session is refreshed. */
  sessionId: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
  picture: string | undefined;
  forgeLogin: string | undefined;
  /** Digits; only when the claims vouch for it. */
  forgeId: string | undefined;
  /** A forge id was claimed that nothing vouches for. */
  isForgeIdDoubtful: boolean;
}

export function identityOf(idToken: JWTPayload, accessToken: JWTPayload | undefined): Identity {
  const claimedForgeId = stringClaim(idToken, 'custom:forge_id');
  const forgeId = claimedForgeId === undefined ? undefined : vouchedForgeId(idToken, claimedForgeId);
  const subject = stringClaim(idToken, 'sub') ?? '';
  const emailVerified = idToken['email_verified'];
  return {
    subject,
    username:
      (accessToken && stringClaim(accessToken, 'username')) ??
      stringClaim(idToken, 'cognito:username') ??
      subject,
    sessionId: sessionIdOf(idToken, subject),
    email: stringClaim(idToken, 'email'),
    // Cognito writes attributes that were mapped as text.
    isEmailVerified: emailVerified === true || emailVerified === 'true',
    name: stringClaim(idToken, 'name'),
    picture: stringClaim(idToken, 'picture'),
    forgeLogin: stringClaim(idToken, 'nickname') ?? stringClaim(idToken, 'preferred_username'),
    forgeId,
    isForgeIdDoubtful: claimedForgeId !== forgeId,
  };
}

const forgeIdPattern = /^[1-9][0-9]{0,18}$/;
const largestForgeId = 2n ** 63n - 1n;

/**
 * Cognito lets people change their own attributes, this one included: there it counts only when it is also the id of
 * the account they came with, which they cannot change. Other providers answer for their claims themselves.
 */
function vouchedForgeId(idToken: JWTPayload, forgeId: string): string | undefined {
  if (!forgeIdPattern.test(forgeId) || BigInt(forgeId) > largestForgeId) return undefined;
  if (!isCognito(idToken.iss ?? '')) return forgeId;
  const linked: unknown = idToken['identities'];
  const isLinked = (Array.isArray(linked) ? linked : []).some(
    (each: unknown) => (Object(each) as { userId?: unknown }).userId === forgeId,
  );
  const isName = stringClaim(idToken, 'cognito:username')?.endsWith(`_${forgeId}`) === true;
  return isLinked && isName ? forgeId : undefined;
}

/** Cognito's name, the standard's, else what differs between sign-ins and a refresh leaves unchanged. */
function sessionIdOf(idToken: JWTPayload, subject: string): string {
  return (
    stringClaim(idToken, 'origin_jti') ??
    stringClaim(idToken, 'sid') ??
    // Dex says neither, nor when somebody signed in, but goes on telling the nonce.
    `${subject}@${String(idToken['auth_time'] ?? idToken['nonce'] ?? '')}`
  );
}

export function stringClaim(claims: JWTPayload, name: string): string | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(claims, name)?.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
