import type { JWTPayload } from 'jose';
import { isCognito } from '../provider/metadata.ts';

/**
 * Identifies a person at the provider. The claim is part of the key: one person's `sub` may equal another's
 * `username`.
 */
export interface PersonKey {
  cognitoIdClaim: 'username' | 'sub';
  cognitoId: string;
}

/** Person and session of verified tokens. Claims are copied one by one, never spread. */
export interface Identity extends PersonKey {
  /** `sub`, the provider's ID of the account. It changes when the account is deleted and created again. */
  subject: string;
  username: string;
  /** Stays the same while the session is refreshed. */
  sessionId: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
  picture: string | undefined;
  forgeLogin: string | undefined;
  /** Digits. Undefined when no other claim confirms it. */
  forgeId: string | undefined;
  /** The token has a forge ID that no other claim confirms. */
  isForgeIdDoubtful: boolean;
}

/** An invalid claim. `message` is for the log. */
export class UnusableClaim extends Error {}

export function identityOf(idToken: JWTPayload, accessToken: JWTPayload | undefined): Identity {
  const claimedForgeId = stringClaim(idToken, 'custom:forge_id');
  const forgeId = claimedForgeId === undefined ? undefined : confirmedForgeId(idToken, claimedForgeId);
  const subject = keyClaim(idToken, 'sub') ?? '';
  const username = usernameOf(idToken);
  const emailVerified = idToken['email_verified'];
  return {
    cognitoIdClaim: username === undefined ? 'sub' : 'username',
    cognitoId: username ?? subject,
    subject,
    username: username ?? (accessToken && keyClaim(accessToken, 'username')) ?? subject,
    sessionId: sessionIdOf(idToken, subject),
    email: textClaim(idToken, 'email'),
    // Cognito stores mapped attributes as text.
    isEmailVerified: emailVerified === true || emailVerified === 'true',
    name: textClaim(idToken, 'name'),
    picture: textClaim(idToken, 'picture'),
    forgeLogin: textClaim(idToken, 'nickname') ?? textClaim(idToken, 'preferred_username'),
    forgeId,
    isForgeIdDoubtful: claimedForgeId !== forgeId,
  };
}

export function isSamePerson(one: PersonKey, other: PersonKey): boolean {
  return one.cognitoIdClaim === other.cognitoIdClaim && one.cognitoId === other.cognitoId;
}

/**
 * The username of the ID token. Amazon Cognito calls the claim `cognito:username`. With two different names the account would be
 * ambiguous.
 * @throws UnusableClaim
 */
export function usernameOf(idToken: JWTPayload): string | undefined {
  const [plain, ofCognito] = [keyClaim(idToken, 'username'), keyClaim(idToken, 'cognito:username')];
  if (plain !== undefined && ofCognito !== undefined && plain !== ofCognito)
    throw new UnusableClaim('username and cognito:username differ');
  return plain ?? ofCognito;
}

/** OpenID Connect limits `sub` to 255 characters, Amazon Cognito limits names to 128. */
const keyPattern = /^\P{Cc}{1,255}$/u;

/**
 * A claim that identifies the account. A value that the database would change or refuse is invalid, because two people could get
 * the same key.
 * @throws UnusableClaim
 */
export function keyClaim(claims: JWTPayload, name: string): string | undefined {
  const value: unknown = ownClaim(claims, name) ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !keyPattern.test(value) || !value.isWellFormed())
    throw new UnusableClaim(`${name} is not a text of 1 to 255 printable characters`);
  return value;
}

const forgeIdPattern = /^[1-9][0-9]{0,18}$/;
const largestForgeId = 2n ** 63n - 1n;

/**
 * Cognito lets people change their own attributes, including this one. From Cognito it is accepted only if it equals the ID of
 * the linked account, which people cannot change. Other providers are trusted.
 */
function confirmedForgeId(idToken: JWTPayload, forgeId: string): string | undefined {
  if (!forgeIdPattern.test(forgeId) || BigInt(forgeId) > largestForgeId) return undefined;
  if (!isCognito(idToken.iss ?? '')) return forgeId;
  const linked: unknown = idToken['identities'];
  const isLinked = (Array.isArray(linked) ? linked : []).some(
    (each: unknown) => (Object(each) as { userId?: unknown }).userId === forgeId,
  );
  const isName = stringClaim(idToken, 'cognito:username')?.endsWith(`_${forgeId}`) === true;
  return isLinked && isName ? forgeId : undefined;
}

/** Cognito's claim, the standard claim, or a value that differs between sign-ins and stays the same after a refresh. */
function sessionIdOf(idToken: JWTPayload, subject: string): string {
  return (
    stringClaim(idToken, 'origin_jti') ??
    stringClaim(idToken, 'sid') ??
    // Dex sends neither, and no `auth_time`, but repeats the nonce after a refresh.
    `${subject}@${String(idToken['auth_time'] ?? idToken['nonce'] ?? '')}`
  );
}

export function stringClaim(claims: JWTPayload, name: string): string | undefined {
  const value: unknown = ownClaim(claims, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Undefined if the text contains characters that the database does not store. Without them it would be another text. */
function textClaim(claims: JWTPayload, name: string): string | undefined {
  const text = stringClaim(claims, name);
  return text === undefined || /\p{Cc}/u.test(text) || !text.isWellFormed() ? undefined : text;
}

function ownClaim(claims: JWTPayload, name: string): unknown {
  return Object.getOwnPropertyDescriptor(claims, name)?.value;
}
