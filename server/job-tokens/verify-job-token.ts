import { decodeJwt, errors, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Database } from '#platform/database/database.ts';
import { readAtMost } from '#platform/http/outgoing/bounded-fetch.ts';
import type { GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { makeProviderKeys, type ProviderKeys } from '#server/identity/provider/keys/keys.ts';
import { InvalidToken } from '#server/identity/tokens/token-pair.ts';
import { verifySignature } from '#server/identity/tokens/verify-tokens.ts';
import { hostOfIssuer } from './issuer.ts';
import { findRepository } from './store.ts';

export interface JobTokenDeps extends Pick<SharedDeps, 'log' | 'clock'> {
  db: Database;
  /** The audience of the tokens. */
  publicUrl: string;
  /** For the keys of forges. */
  keysFetch: GuardedFetch;
}

/** What a forge says about the job that got the token. */
export interface VerifiedJob {
  /** As the integration knows it. */
  repository: string;
  /** By the id of the forge. */
  run: number;
  attempt: number;
  /** Of the forge. */
  place: number;
}

/** @throws AppError `invalid_job_token`; `forge_unavailable` when the keys of its forge are not available */
export type VerifyJobToken = (
  integrationId: string,
  authorization: string | undefined,
) => Promise<VerifiedJob>;

const tokenMaxChars = 8192;
const compactToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const keysMaxBytes = 64 * 1024;
const keysWithinMs = 5000;
/** Forges whose keys a process remembers. */
const rememberedIssuers = 100;
/** Nothing reloads the keys of forges in the background, so they are read again after this time, and a withdrawn key ends. */
const keysMs = 600_000;
const toleranceSeconds = 60;

/**
 * Accepts the OpenID token that a forge gave to a job, for an integration that receives webhooks of its repository. Keys are asked of a forge
 * only if the integration knows a repository with this id there, so that nobody can make the service call other addresses. The id
 * of the repository counts: its name may have been another one's, and `sub` can be configured. A fork is another repository.
 */
export function makeVerifyJobToken(deps: JobTokenDeps): VerifyJobToken {
  const { db, publicUrl, clock } = deps;
  const issuers = new LRUCache<string, ProviderKeys>({ max: rememberedIssuers });
  const keysOf = (issuer: string): ProviderKeys => {
    const known = issuers.get(issuer) ?? makeKeys(deps, issuer);
    issuers.set(issuer, known);
    return known;
  };
  return async (integrationId, authorization) => {
    const token = bearerOf(authorization);
    const claims = claimsOf(token);
    if (![claims.aud ?? []].flat().includes(publicUrl))
      throw refused(`Request it for the audience ${publicUrl}.`);
    const { iss = '', repository_id: id } = claims;
    const host = hostOfIssuer(iss);
    const repositoryId = wholeNumber(id);
    if (host === undefined || repositoryId === undefined) throw refused(expected);
    const found = await db.withScope({ integrationId }, (tx) =>
      findRepository(tx, integrationId, { forgeId: repositoryId, host }),
    );
    if (found === undefined) throw refused(expected);
    await verifySignature(token, keysOf(iss)).catch((error: unknown) => {
      if (error instanceof InvalidToken) throw refused(expected, error);
      throw new AppError('forge_unavailable', {
        detail: `The keys of ${host} cannot be read. Try again shortly.`,
        retryAfterSeconds: 5,
        cause: error,
      });
    });
    checkTimes(claims, clock() / 1000);
    const run = wholeNumber(claims['run_id']);
    const attempt = wholeNumber(claims['run_attempt']);
    if (run === undefined || attempt === undefined) throw refused('It names no run.');
    return { ...found, run, attempt };
  };
}

const expected =
  'It may be incomplete or expired, or the integration receives no webhooks of its repository.';

function refused(why: string, cause?: unknown): AppError {
  return new AppError('invalid_job_token', {
    detail: `The OpenID token of the job is not accepted. ${why}`,
    cause,
  });
}

function bearerOf(authorization = ''): string {
  const [, token = ''] = /^bearer +([^ ]+)$/i.exec(authorization.slice(0, tokenMaxChars + 20)) ?? [];
  if (token.length > tokenMaxChars || !compactToken.test(token))
    throw refused('Send it in the header Authorization: Bearer.');
  return token;
}

/** Not verified yet. */
function claimsOf(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refused(expected, error);
    throw error;
  }
}

function checkTimes({ exp, iat, nbf }: JWTPayload, now: number): void {
  if (typeof exp !== 'number' || exp <= now - toleranceSeconds) throw refused('It has expired.');
  const begins = Math.max(iat ?? 0, nbf ?? 0);
  if (!(begins <= now + toleranceSeconds)) throw refused('It is not valid yet.');
}

/** GitHub writes ids as text. */
function wholeNumber(value: unknown): number | undefined {
  const text = String(value);
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

function makeKeys({ keysFetch, log, clock }: JobTokenDeps, issuer: string): ProviderKeys {
  const fetch = async (url: string): Promise<Response> => {
    const answer = await keysFetch.request(url, {
      method: 'GET',
      headers: { accept: 'application/json' },
      totalMs: keysWithinMs,
    });
    return new Response(await readAtMost(keysMaxBytes, answer.body, url), { status: answer.status });
  };
  return makeProviderKeys({
    address: async () => {
      const answer = await fetch(`${issuer}/.well-known/openid-configuration`);
      if (!answer.ok) throw new Error(`the metadata of the issuer answered ${answer.status}`);
      const { jwks_uri: keys } = (await answer.json()) as { jwks_uri?: unknown };
      const { origin } = new URL(issuer);
      if (typeof keys !== 'string' || URL.parse(keys)?.origin !== origin)
        throw new Error('the keys of the issuer have another origin');
      return keys;
    },
    fetch: (url) => fetch(String(url)),
    log,
    clock,
    policy: { keepMs: keysMs },
  });
}
