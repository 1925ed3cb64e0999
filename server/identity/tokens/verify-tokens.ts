import { compactVerify, decodeProtectedHeader, errors, type JWTPayload } from 'jose';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { stringClaim } from './claims.ts';
import { InvalidToken, pairOf, type PresentedPair, type VerifiedTokens } from './token-pair.ts';
import type { ProviderClient } from '../provider/client.ts';
import { KeysUnavailable, type ProviderKeys } from '../provider/keys/keys.ts';
import { isAccessToken, isAccessTokenOf, isIdToken } from './token-kind.ts';
import { verifyOnce } from './verify-once.ts';

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
