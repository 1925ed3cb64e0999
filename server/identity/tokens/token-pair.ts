import type { JWTPayload } from 'jose';
import { identityOf, keyClaim, stringClaim, UnusableClaim, usernameOf, type Identity } from './claims.ts';

/** An invalid token. `message` is for the log alone; callers always get the same error. */
export class InvalidToken extends Error {}

/** Claims of a token pair. Times are seconds since the epoch. */
export interface VerifiedTokens extends Identity {
  issuedAt: number;
  /** When the first of the two tokens expires. */
  expiresAt: number;
  /** When the last of the two tokens expires. */
  lastsUntil: number;
  /** Time of the sign-in, if the provider sends it. */
  signedInAt: number | undefined;
  /** The `jti` of each token that has one. */
  tokenIds: string[];
  nonce: string | undefined;
  scopes: string[];
}

export interface PresentedPair {
  accessToken: string;
  idToken: string;
}

/** Combines the claims of both tokens. @throws InvalidToken when they belong to two people */
export function pairOf(id: JWTPayload, access: JWTPayload | undefined): VerifiedTokens {
  const signedInAt = id['auth_time'];
  return {
    ...identityOfPair(id, access),
    // Times may have fractions (RFC 7519). Stored times are whole seconds.
    issuedAt: Math.floor(id.iat ?? 0),
    expiresAt: Math.min(id.exp ?? 0, access?.exp ?? Infinity),
    lastsUntil: Math.max(id.exp ?? 0, access?.exp ?? 0),
    signedInAt: typeof signedInAt === 'number' ? signedInAt : undefined,
    tokenIds: [id.jti, access?.jti].filter((jti) => typeof jti === 'string'),
    nonce: stringClaim(id, 'nonce'),
    scopes: ((access && stringClaim(access, 'scope')) ?? '').split(' '),
  };
}

/** Refuses tokens that name different people in a claim that both have. */
function identityOfPair(id: JWTPayload, access: JWTPayload | undefined): Identity {
  try {
    const [ofId, ofAccess] = [usernameOf(id), access && keyClaim(access, 'username')];
    const areTwoNames = ofId !== undefined && ofAccess !== undefined && ofId !== ofAccess;
    if ((access !== undefined && access.sub !== id.sub) || areTwoNames)
      throw new InvalidToken('tokens of two people');
    return identityOf(id, access);
  } catch (error) {
    if (error instanceof UnusableClaim) throw new InvalidToken(error.message);
    throw error;
  }
}
