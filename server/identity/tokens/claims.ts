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
  /** The provider's own id of the account; a new one when the account is made again. */
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

/** A claim that cannot be used as it is; `message` is for the log. */
export class UnusableClaim extends Error {}

export function identityOf(idToken: JWTPayload, accessToken: JWTPayload | undefined): Identity {
  const claimedForgeId = stringClaim(idToken, 'custom:forge_id');
  const forgeId = claimedForgeId === undefined ? undefined : vouchedForgeId(idToken, claimedForgeId);
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
    // Cognito writes attributes that were mapped as text.
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
 * The name that the ID token gives a person; undefined when it gives none. Amazon Cognito calls the claim
 * `cognito:username`. Two names that differ would leave open whose account is meant.
 * @throws UnusableClaim
 */
export function usernameOf(idToken: JWTPayload): string | undefined {
  const [plain, ofCognito] = [keyClaim(idToken, 'username'), keyClaim(idToken, 'cognito:username')];
  if (plain !== undefined && ofCognito !== undefined && plain !== ofCognito)
    throw new UnusableClaim('username and cognito:username differ');
  return plain ?? ofCognito;
}

/** OpenID Connect bounds `sub` to 255 characters; Amazon Cognito bounds names to 128. */
const keyPattern = /^\P{Cc}{1,255}$/u;

/**
 * A claim that decides whose account it is; undefined when the token has none. A value that the database would change
 * or refuse is not usable: two of them could become one person.
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
  const value: unknown = ownClaim(claims, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Counts as absent with characters that the database does not store: cut out, they would leave another text. */
function textClaim(claims: JWTPayload, name: string): string | undefined {
  const text = stringClaim(claims, name);
  return text === undefined || /\p{Cc}/u.test(text) || !text.isWellFormed() ? undefined : text;
}

function ownClaim(claims: JWTPayload, name: string): unknown {
  return Object.getOwnPropertyDescriptor(claims, name)?.value;
}
