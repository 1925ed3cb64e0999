import { systemClock } from '#platform/runtime/clock.ts';
import type { IntegrationTokenBody, TokenScope } from '#contract/members/api-tokens.ts';
import { createIntegrationToken } from '#server/api-tokens/integration-tokens.ts';
import { createPersonalToken } from '#server/api-tokens/personal-tokens.ts';
import { answerOf, type Answer, type Person, type Team, type TeamProduct } from '#test/support/team/team.ts';

export interface TokenClient {
  tokenId: string;
  token: string;
  baseUrl: string;
  headers: Record<string, string>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A program with an API token. */
export function tokenClient(
  publicUrl: string,
  { tokenId, token }: { tokenId: string; token: string },
): TokenClient {
  return {
    tokenId,
    token,
    baseUrl: publicUrl,
    headers: { authorization: `Bearer ${token}` },
    call: async (method, path, body, headers = {}) => {
      const response = await fetch(publicUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return answerOf(response);
    },
  };
}

export async function personalToken(
  { database, publicUrl }: TeamProduct,
  { userId }: Person,
  { scopes = ['read', 'write'], integrationIds }: { scopes?: TokenScope[]; integrationIds?: string[] } = {},
): Promise<TokenClient> {
  const body = { name: 'Script', scopes, ...(integrationIds && { integrationIds }) };
  const created = await createPersonalToken({ db: database.api, clock: systemClock }, userId, body);
  return tokenClient(publicUrl, created);
}

export async function integrationToken(
  { database, publicUrl }: TeamProduct,
  { integrationId, owner }: Team,
  role: IntegrationTokenBody['role'],
): Promise<TokenClient> {
  const created = await createIntegrationToken(
    { db: database.api, clock: systemClock },
    { integrationId, actorId: owner.userId },
    { name: 'Dashboard', role },
  );
  return tokenClient(publicUrl, created);
}

/** Tokens of tests live long. */
export async function expire(
  { database }: TeamProduct,
  { tokenId }: TokenClient,
  afterSeconds = 0,
): Promise<void> {
  for (const table of ['personal_tokens', 'integration_tokens'])
    await database.asOwner(
      `update ${table} set expires_at = now() + make_interval(secs => $2) where token_id = $1`,
      [tokenId, afterSeconds],
    );
}
