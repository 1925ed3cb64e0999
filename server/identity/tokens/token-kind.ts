import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { isCognito } from '../provider/metadata.ts';
import { stringClaim } from './claims.ts';

/** Whether the claims can be those of an ID token. Providers mark the kind in different ways, or not at all. */
export function isIdToken(claims: JWTPayload, typ: string | undefined): boolean {
  const use = stringClaim(claims, 'token_use');
  if (use === 'access' || isMarkedAccess(typ)) return false;
  return use === 'id' || !isCognito(claims.iss ?? '');
}

/** `isNamed`: the ID token names this access token by `at_hash`. */
export function isAccessToken(claims: JWTPayload, typ: string | undefined, isNamed: boolean): boolean {
  const use = stringClaim(claims, 'token_use');
  if (isCognito(claims.iss ?? '') || use !== undefined) return use === 'access';
  if (isMarkedAccess(typ)) return true;
  if (claims['typ'] === 'ID') return false;
  // Dex's access token looks like an ID token. An ID token never names another ID token by `at_hash`.
  if (isNamed) return true;
  // Keycloak and others mark neither token in its header. Only an ID token has one of these claims.
  return claims['nonce'] === undefined && claims['at_hash'] === undefined;
}

/** The `typ` header of RFC 9068. */
function isMarkedAccess(typ = ''): boolean {
  return /^(application\/)?at\+jwt$/i.test(typ);
}

/** Whether the ID token was issued with this access token; undefined without `at_hash`. */
export function isAccessTokenOf(id: JWTPayload, accessToken: string): boolean | undefined {
  const stated = stringClaim(id, 'at_hash');
  if (stated === undefined) return undefined;
  const half = createHash('sha256').update(accessToken).digest().subarray(0, 16);
  return stated === half.toString('base64url');
}
