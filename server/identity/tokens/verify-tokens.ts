import { compactVerify, decodeProtectedHeader, errors, type JWTPayload } from 'jose';
import { createHash, hash } from 'node:crypto';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { growingCache } from '#platform/runtime/growing-cache.ts';
import { stringClaim } from './claims.ts';
import { InvalidToken, pairOf, type PresentedPair, type VerifiedTokens } from './token-pair.ts';
import type { ProviderClient } from '../provider/client.ts';
import { KeysUnavailable, type ProviderKeys } from '../provider/keys/keys.ts';
import { isCognito } from '../provider/metadata.ts';

type Verify = (tokens: PresentedPair) => Promise<VerifiedTokens>;

/** Least recently used pairs are evicted. */
const maxPairs = 10_000;

/**
 * Caches verified pairs until the provider's keys are reloaded; returns the same object for the same pair. Failures
 * are not cached. The caller checks everything that depends on the time.
 */
function verifyOnce(verify: Verify, keys: Pick<ProviderKeys, 'current'>): Verify {
  let verifiedWith = keys.current();
  let pairs = growingCache<string, VerifiedTokens>(maxPairs);
  return async (tokens) => {
    if (verifiedWith !== keys.current()) {
      verifiedWith = keys.current();
      pairs = growingCache(maxPairs);
    }
    const ofTheseKeys = pairs;
    const name = digestOf(tokens);
    const known = ofTheseKeys.get(name);
    if (known !== undefined) return known;
    const verified = await verify(tokens);
    // A reload during the verification replaced the cache, so this entry is dropped with the old keys.
    ofTheseKeys.set(name, verified);
    return verified;
  };
}

/** Keeps no bearer token in memory. A valid token contains no line feed. */
function digestOf({ accessToken, idToken }: PresentedPair): string {
  return hash('sha256', `${accessToken}\n${idToken}`, 'base64');
}

export interface TokenVerifier {
  /** @throws InvalidToken; AppError `identity_provider_unavailable` when its keys are not available. */
  verify(tokens: PresentedPair): Promise<VerifiedTokens>;
  /** Like `verify`, for tokens that the provider has just issued. They may be the first ones signed with a new key. */
  verifyNew(tokens: PresentedPair): Promise<VerifiedTokens>;
  /**
   * Verifies the tokens of a session that may have expired. Ignores an invalid access token. Undefined when the ID token is missing
   * or invalid.
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
export function makeTokenVerifier(deps: TokenVerifierDeps): TokenVerifier {
  const { keys, clock, sessionMaxSeconds } = deps;
  const now = (): number => clock() / 1000;
  const { checkId, checkAccess } = makeChecks(deps);
  const checkPair = verifyOnce(async ({ accessToken, idToken }) => {
    const id = await checkId(idToken);
    const isNamed = isAccessTokenOf(id, accessToken);
    if (isNamed === false) throw new InvalidToken('at_hash of another access token');
    return pairOf(id, await checkAccess(accessToken, isNamed === true));
  }, keys);
  const verify = async (tokens: PresentedPair): Promise<VerifiedTokens> => {
    const pair = await checkPair(tokens);
    if (pair.expiresAt <= now()) throw new InvalidToken('expired');
    if (pair.signedInAt !== undefined && pair.signedInAt + sessionMaxSeconds <= now())
      throw new InvalidToken('sign-in too long ago');
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

/** The checks of one token without the other. */
function makeChecks({ provider, keys, clientId, clock }: TokenVerifierDeps) {
  const check = async (token: string): Promise<Checked> => {
    if (!isToken(token)) throw new InvalidToken('not a token');
    const { issuer } = await metadataOf(provider);
    const { payload, protectedHeader } = await verifySignature(token, keys);
    const claims = parseClaims(payload);
    if (claims.iss !== issuer) throw new InvalidToken('wrong issuer');
    if (stringClaim(claims, 'sub') === undefined) throw new InvalidToken('no sub');
    for (const time of ['exp', 'iat'] as const) {
      if (!Number.isFinite(claims[time])) throw new InvalidToken(`no ${time}`);
    }
    const begins = Math.max(claims.iat ?? 0, claims.nbf ?? 0);
    if (begins > clock() / 1000 + futureToleranceSeconds) throw new InvalidToken('not valid yet');
    return { claims, typ: protectedHeader.typ };
  };
  const checkId = async (token: string): Promise<JWTPayload> => {
    const { claims, typ } = await check(token);
    const client = stringClaim(claims, 'azp') ?? clientId;
    if (client !== clientId || !audiencesOf(claims).includes(clientId))
      throw new InvalidToken('ID token of another client');
    if (!isIdToken(claims, typ)) throw new InvalidToken('not an ID token');
    return claims;
  };
  const checkAccess = async (token: string, isNamed: boolean): Promise<JWTPayload> => {
    const { claims, typ } = await check(token);
    if (!isAccessToken(claims, typ, isNamed)) throw new InvalidToken('not an access token');
    const client = stringClaim(claims, 'client_id') ?? stringClaim(claims, 'azp');
    const isOurs =
      client === undefined ? isNamed && audiencesOf(claims).includes(clientId) : client === clientId;
    if (!isOurs) throw new InvalidToken('access token of another client');
    return claims;
  };
  return { checkId, checkAccess };
}

function audiencesOf({ aud }: JWTPayload): string[] {
  return [aud ?? []].flat();
}

function parseClaims(payload: Uint8Array): JWTPayload {
  const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
  if (typeof claims !== 'object' || claims === null) throw new InvalidToken('no claims');
  return claims as JWTPayload;
}

/** Accepts one spelling per token, so that a revoked token has no second form. */
function isToken(token: string): boolean {
  if (token.length > tokenMaxChars || !compactToken.test(token)) return false;
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** Verifies that a current key of the provider signed the token with RS256. @throws InvalidToken, AppError */
export async function verifySignature(token: string, keys: Pick<ProviderKeys, 'find'>) {
  try {
    const header = decodeProtectedHeader(token);
    if (refusedHeaders.some((name) => Object.hasOwn(header, name)))
      throw new InvalidToken('header with a key or extension');
    if (header.alg !== 'RS256') throw new InvalidToken('wrong algorithm');
    const key = typeof header.kid === 'string' ? await keys.find(header.kid) : undefined;
    if (key === undefined) throw new InvalidToken('unknown key');
    return await compactVerify(token, key, { algorithms: ['RS256'] });
  } catch (error) {
    if (error instanceof KeysUnavailable) throw unavailable(error);
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      throw new InvalidToken('wrong signature', { cause: error });
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
    detail: 'The identity provider does not answer. You stay signed in. Try again shortly.',
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

/** Whether the claims can be those of an ID token. Providers mark the kind in different ways, or not at all. */
function isIdToken(claims: JWTPayload, typ: string | undefined): boolean {
  const use = stringClaim(claims, 'token_use');
  if (use === 'access' || isMarkedAccess(typ)) return false;
  return use === 'id' || !isCognito(claims.iss ?? '');
}

/** `isNamed`: the ID token names this access token by `at_hash`. */
function isAccessToken(claims: JWTPayload, typ: string | undefined, isNamed: boolean): boolean {
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
function isAccessTokenOf(id: JWTPayload, accessToken: string): boolean | undefined {
  const stated = stringClaim(id, 'at_hash');
  if (stated === undefined) return undefined;
  const half = createHash('sha256').update(accessToken).digest().subarray(0, 16);
  return stated === half.toString('base64url');
}
