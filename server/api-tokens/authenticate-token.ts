import type { FastifyRequest } from 'fastify';
import { tokenPrefix } from '#contract/members/api-tokens.ts';
import type { Database } from '#platform/database/database.ts';
import { makeLimit } from '#platform/http/chain/rate-limit.ts';
import type { Caller } from '#platform/http/route.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { growingCache } from '#platform/runtime/growing-cache.ts';
import { findToken, saveUse, sessionIdOf, type FoundToken } from './store.ts';
import { hashOf, isWellFormedToken } from './token-format.ts';

/** Accepts an API token or throws. */
export type AuthenticateToken = (request: FastifyRequest, token: string) => Promise<Caller>;

const useEveryMs = 60_000;

/** Hashes that this process remembers of each kind. */
const rememberedHashes = 10_000;

/**
 * Every invalid token has the same answer. Invalid tokens are counted by address, like failed sign-ins, so that nobody can try
 * many. Tokens that this process has accepted before are not affected by others at the same address; one that it has not seen waits until
 * the minute is over, because the database would have to be asked about every guess.
 */
export function makeAuthenticateToken({ db, clock }: { db: Database; clock: Clock }): AuthenticateToken {
  const failures = makeLimit({ perMinute: 20, by: 'address' });
  const accepted = growingCache<string, true>(rememberedHashes);
  // For good: no token is made twice, and an expired or revoked one never becomes valid.
  const refused = growingCache<string, true>(rememberedHashes);
  const find = async (request: FastifyRequest, token: string): Promise<FoundToken | undefined> => {
    if (!isWellFormedToken(token)) return undefined;
    const secretHash = hashOf(token);
    if (refused.has(secretHash)) return undefined;
    if (!accepted.has(secretHash)) failures.refuse(request);
    const found = await db.withScope({ secretHash }, (tx) => findToken(tx, secretHash));
    if (found === undefined) accepted.delete(secretHash);
    (found === undefined ? refused : accepted).set(secretHash, true);
    return found;
  };
  return async (request, token) => {
    const found = await find(request, token);
    if (found === undefined) {
      await failures.count(request);
      throw new AppError('invalid_token', {
        detail: 'The API token is not valid. It may be incomplete, expired or revoked.',
      });
    }
    const isRecent = (found.lastUsedAt?.getTime() ?? 0) > clock() - useEveryMs;
    if (!isRecent) {
      // The request does not wait for it, and succeeds without it.
      noteUse(db, found, request.ip).catch((error: unknown) =>
        request.log.warn({ err: error }, 'last use of an API token not stored'),
      );
    }
    return callerOf(found);
  };
}

/** The API token of a request. Undefined when it has none; other values of the header are not ours. */
export function tokenOf({
  headers: { authorization = '' },
  routeOptions: { config },
}: FastifyRequest): string | undefined {
  const [, scheme = '', value = ''] = /^(bearer|basic) +([^ ]+)$/i.exec(authorization) ?? [];
  const isBasic = scheme.toLowerCase() === 'basic';
  if (isBasic && config.takesBasic !== true) return undefined;
  const token = isBasic ? passwordOf(value) : value;
  return token.startsWith(tokenPrefix) ? token : undefined;
}

/** RFC 7617. Any user name is accepted, because the token alone identifies the caller. */
function passwordOf(credentials: string): string {
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

function callerOf({ tokenId, name, userId, integrationIds, scopes, expiresAt }: FoundToken): Caller {
  return {
    userId: userId ?? tokenId,
    sessionId: sessionIdOf(tokenId),
    ...(integrationIds === null ? {} : { integrationIds }),
    token: { tokenId, name, scopes, expiresAt, owner: userId === null ? 'integration' : 'person' },
  };
}

async function noteUse(db: Database, found: FoundToken, address: string): Promise<void> {
  const { tokenId, userId, integrationIds } = found;
  if (userId !== null)
    await db.withScope({ userId }, (tx) => saveUse(tx, 'personal_tokens', tokenId, address));
  else
    await db.withScope({ integrationIds: integrationIds ?? [] }, (tx) =>
      saveUse(tx, 'integration_tokens', tokenId, address),
    );
}
