import { createHash } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, errors, type JWTPayload } from 'jose';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { identityOf, keyClaim, stringClaim, UnusableClaim, usernameOf, type Identity } from './claims.ts';
import type { ProviderClient } from '../provider/client.ts';
import { KeysUnavailable, type ProviderKeys } from '../provider/keys.ts';
import { isCognito } from '../provider/metadata.ts';
import { verifyOnce } from './verify-once.ts';

/** An invalid token. `message` is for the log alone; callers always get the same error. */
export class InvalidToken extends Error {}

/** Claims of a token pair. Times are seconds since the epoch. */
export interface VerifiedTokens extends Identity {
  issuedAt: number;
  /** When the first of the two expires. */
  expiresAt: number;
  /** When the last of the two expires. */
  lastsUntil: number;
  /** Time of the sign-in, if the provider sends it. */
  signedInAt: number | undefined;
  /** `jti` of both, where the provider gives one. */
  tokenIds: string[];
  nonce: string | undefined;
  scopes: string[];
}

/** As a request brings them. */
export interface PresentedPair {
  accessToken: string;
  idToken: string;
}

export interface TokenVerifier {
  /** @throws InvalidToken; AppError `identity_provider_unavailable` when its keys cannot be had. */
  verify(tokens: PresentedPair): Promise<VerifiedTokens>;
  /** The same for tokens that the provider gave this moment, perhaps the first that it signed with a new key. */
  verifyNew(tokens: PresentedPair): Promise<VerifiedTokens>;
  /**
   * Tokens of a session that may be over, whichever of them are given and signed by the provider; undefined when the
   * ID token is not.
   */
  verifyEvenExpired(tokens: Partial<PresentedPair>): Promise<VerifiedTokens | undefined>;
}

export interface TokenVerifierDeps {
  provider: ProviderClient;
  keys: ProviderKeys;
  clientId: string;
  clock: Clock;
  /** Maximum age of a sign-in, whatever the provider allows. */
  sessionMaxSeconds: number;
}

/** JWS compact serialization (RFC 7515). */
const compactToken = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const tokenMaxChars = 4096;
const futureToleranceSeconds = 30;

/** Headers that carry a key or demand an extension (RFC 7515, 4.1). */
const refusedHeaders = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64'];

interface Checked {
  claims: JWTPayload;
  typ: string | undefined;
}

/** Verifies signature and claims of both tokens, and that both belong to one person. */
export function makeTokenVerifier({
  provider,
  keys,
  clientId,
  clock,
  sessionMaxSeconds,
}: TokenVerifierDeps): TokenVerifier {
  const now = (): number => clock() / 1000;

  const check = async (token: string): Promise<Checked> => {
    if (!isToken(token)) throw new InvalidToken('not a token');
    const { issuer } = await metadataOf(provider);
    const { payload, protectedHeader } = await verifySignature(token, keys);
    const claims = parseClaims(payload);
    if (claims.iss !== issuer) throw new InvalidToken('of another issuer');
    if (stringClaim(claims, 'sub') === undefined) throw new InvalidToken('without a subject');
    for (const time of ['exp', 'iat'] as const) {
      if (!Number.isFinite(claims[time])) throw new InvalidToken(`without ${time}`);
    }
    const begins = Math.max(claims.iat ?? 0, claims.nbf ?? 0);
    if (begins > now() + futureToleranceSeconds) throw new InvalidToken('not valid yet');
    return { claims, typ: protectedHeader.typ };
  };
  const checkId = async (token: string): Promise<JWTPayload> => {
    const { claims, typ } = await check(token);
    const client = stringClaim(claims, 'azp') ?? clientId;
    if (client !== clientId || !audiencesOf(claims).includes(clientId))
      throw new InvalidToken('an ID token of another client');
    const use = stringClaim(claims, 'token_use');
    if (use === 'access' || isMarkedAccess(typ) || (use !== 'id' && isCognito(claims.iss ?? '')))
      throw new InvalidToken('not an ID token');
    return claims;
  };
  const checkAccess = async (token: string, isNamed: boolean): Promise<JWTPayload> => {
    const { claims, typ } = await check(token);
    if (!isAccessToken(claims, typ, isNamed)) throw new InvalidToken('not an access token');
    const client = stringClaim(claims, 'client_id') ?? stringClaim(claims, 'azp');
    const isOurs =
      client === undefined ? isNamed && audiencesOf(claims).includes(clientId) : client === clientId;
    if (!isOurs) throw new InvalidToken('an access token of another client');
    return claims;
  };
  const checkPair = verifyOnce(async ({ accessToken, idToken }) => {
    const id = await checkId(idToken);
    const isNamed = isAccessTokenOf(id, accessToken);
    if (isNamed === false) throw new InvalidToken('an ID token for another access token');
    return pairOf(id, await checkAccess(accessToken, isNamed === true));
  }, keys);
  const verify = async (tokens: PresentedPair): Promise<VerifiedTokens> => {
    const pair = await checkPair(tokens);
    if (pair.expiresAt <= now()) throw new InvalidToken('expired');
    if (pair.signedInAt !== undefined && pair.signedInAt + sessionMaxSeconds <= now())
      throw new InvalidToken('of a sign-in too long ago');
    return pair;
  };
  return {
    verify,
    verifyNew: async (tokens) => {
      const { accessToken, idToken } = tokens;
      await Promise.all(
        [accessToken, idToken].map((token) => verifySignature(token, { find: keys.findNew })),
      );
      return verify(tokens);
    },
    verifyEvenExpired: async ({ accessToken, idToken }) => {
      const id = idToken === undefined ? undefined : await tolerate(checkId(idToken));
      if (id === undefined) return undefined;
      const access =
        accessToken === undefined
          ? undefined
          : await tolerate(checkAccess(accessToken, isAccessTokenOf(id, accessToken) === true));
      return tolerate((async () => pairOf(id, access?.sub === id.sub ? access : undefined))());
    },
  };
}

/** `isNamed`: the ID token beside it says that it is the access token that it came with. */
function isAccessToken(claims: JWTPayload, typ: string | undefined, isNamed: boolean): boolean {
  const use = stringClaim(claims, 'token_use');
  if (isCognito(claims.iss ?? '') || use !== undefined) return use === 'access';
  if (isMarkedAccess(typ)) return true;
  if (claims['typ'] === 'ID') return false;
  // Dex's access token looks like an ID token. An ID token never names another ID token by `at_hash`.
  if (isNamed) return true;
  // Keycloak and others mark neither header; only an ID token has one of these.
  return claims['nonce'] === undefined && claims['at_hash'] === undefined;
}

/** As RFC 9068 has it. */
function isMarkedAccess(typ = ''): boolean {
  return /^(application\/)?at\+jwt$/i.test(typ);
}

function audiencesOf({ aud }: JWTPayload): string[] {
  return [aud ?? []].flat();
}

function pairOf(id: JWTPayload, access: JWTPayload | undefined): VerifiedTokens {
  const signedInAt = id['auth_time'];
  return {
    ...identityOfPair(id, access),
    // Times may have fractions (RFC 7519); it is compared with whole seconds, and stored as such.
    issuedAt: Math.floor(id.iat ?? 0),
    expiresAt: Math.min(id.exp ?? 0, access?.exp ?? Infinity),
    lastsUntil: Math.max(id.exp ?? 0, access?.exp ?? 0),
    signedInAt: typeof signedInAt === 'number' ? signedInAt : undefined,
    tokenIds: [id.jti, access?.jti].filter((jti) => typeof jti === 'string'),
    nonce: stringClaim(id, 'nonce'),
    scopes: ((access && stringClaim(access, 'scope')) ?? '').split(' '),
  };
}

/** Both tokens name the same person, in each of the claims that both have. */
function identityOfPair(id: JWTPayload, access: JWTPayload | undefined): Identity {
  try {
    const [ofId, ofAccess] = [usernameOf(id), access && keyClaim(access, 'username')];
    const areTwoNames = ofId !== undefined && ofAccess !== undefined && ofId !== ofAccess;
    if ((access !== undefined && access.sub !== id.sub) || areTwoNames)
      throw new InvalidToken('two people in one request');
    return identityOf(id, access);
  } catch (error) {
    if (error instanceof UnusableClaim) throw new InvalidToken(error.message);
    throw error;
  }
}

/** Whether the ID token was issued with this access token; undefined without `at_hash`. */
function isAccessTokenOf(id: JWTPayload, accessToken: string): boolean | undefined {
  const stated = stringClaim(id, 'at_hash');
  if (stated === undefined) return undefined;
  const half = createHash('sha256').update(accessToken).digest().subarray(0, 16);
  return stated === half.toString('base64url');
}

function parseClaims(payload: Uint8Array): JWTPayload {
  const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
  if (typeof claims !== 'object' || claims === null) throw new InvalidToken('without claims');
  return claims as JWTPayload;
}

/** Refuses other spellings of the same bytes, so that a revoked token has no second form. */
function isToken(token: string): boolean {
  if (token.length > tokenMaxChars || !compactToken.test(token)) return false;
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** Signed with RS256 by a key that the provider has now. @throws InvalidToken, AppError */
export async function verifySignature(token: string, keys: Pick<ProviderKeys, 'find'>) {
  try {
    const header = decodeProtectedHeader(token);
    if (refusedHeaders.some((name) => Object.hasOwn(header, name)))
      throw new InvalidToken('brings a key or a condition of its own');
    if (header.alg !== 'RS256') throw new InvalidToken('signed with another algorithm');
    const key = typeof header.kid === 'string' ? await keys.find(header.kid) : undefined;
    if (key === undefined) throw new InvalidToken('signed with a key that is not there');
    return await compactVerify(token, key, { algorithms: ['RS256'] });
  } catch (error) {
    if (error instanceof KeysUnavailable) throw unavailable(error);
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      throw new InvalidToken('the signature does not hold', { cause: error });
    throw error;
  }
}

async function metadataOf(provider: ProviderClient) {
  return (
    provider.knownMetadata() ??
    provider.metadata().catch((error: unknown) => Promise.reject(unavailable(error)))
  );
}

function unavailable(cause: unknown): AppError {
  return new AppError('identity_provider_unavailable', {
    detail: 'The identity provider does not answer. You stay signed in; try again shortly.',
    retryAfterSeconds: 5,
    cause,
  });
}

/** Turns an invalid token into undefined; throws when the provider is unavailable. */
async function tolerate<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof InvalidToken) return undefined;
    throw error;
  });
}
