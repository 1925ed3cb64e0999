import {
  CreatedIntegrationToken,
  CreatedPersonalToken,
  IntegrationTokenBody,
  IntegrationTokenPage,
  PersonalTokenBody,
  PersonalTokenPage,
  TokensRevoked,
} from '#contract/members/api-tokens.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { route, type Route } from '#server/route.ts';
import {
  createIntegrationToken,
  readIntegrationTokens,
  revokeIntegrationToken,
} from './integration-tokens.ts';
import {
  createPersonalToken,
  readPersonalTokens,
  revokePersonalToken,
  revokePersonalTokens,
} from './personal-tokens.ts';

export type ApiTokenRoutesDeps = Pick<SharedDeps, 'db' | 'clock'>;

export function apiTokenRoutes(deps: ApiTokenRoutesDeps): Route[] {
  return [...personalRoutes(deps), ...integrationRoutes(deps)];
}

const personal = '/api/user/tokens';

function personalRoutes(deps: ApiTokenRoutesDeps): Route[] {
  const { db } = deps;
  return [
    route('GET', personal, {
      access: 'signed-in',
      summary: "List the caller's personal API tokens, oldest first",
      answer: { schema: PersonalTokenPage },
      handle: async ({ caller }) => ({
        items: await readPersonalTokens(db, caller.userId),
        nextCursor: null,
      }),
    }),
    route('POST', personal, {
      access: 'signed-in',
      summary: 'Create a personal API token; the token is only shown in this response',
      body: PersonalTokenBody,
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      isConfidential: true,
      errors: ['token_limit_reached'],
      answer: { status: 201, schema: CreatedPersonalToken },
      handle: async ({ caller: { userId }, body, request }) => {
        const created = await createPersonalToken(deps, userId, body);
        const { tokenId, scopes, expiresAt } = created;
        request.log.info({ audit: 'token-created', userId, tokenId, scopes, expiresAt }, 'API token created');
        return created;
      },
    }),
    route('DELETE', personal, {
      access: 'signed-in',
      summary: "Revoke all of the caller's personal API tokens",
      answer: { schema: TokensRevoked },
      handle: async ({ caller: { userId }, request }) => {
        const revoked = await revokePersonalTokens(db, userId);
        request.log.info({ audit: 'tokens-revoked', userId, revoked }, 'all API tokens of a person revoked');
        return { revoked };
      },
    }),
    route('DELETE', `${personal}/:tokenId`, {
      access: 'signed-in',
      summary: "Revoke one of the caller's personal API tokens",
      answer: { status: 204 },
      handle: async ({ caller: { userId }, params: { tokenId }, request }) => {
        await revokePersonalToken(db, userId, tokenId);
        request.log.info({ audit: 'token-revoked', userId, tokenId }, 'API token revoked');
      },
    }),
  ];
}

const ofIntegration = '/api/integrations/:integrationId/tokens';
const admin = { role: 'admin', by: 'session' } as const;

function integrationRoutes(deps: ApiTokenRoutesDeps): Route[] {
  const { db } = deps;
  return [
    route('GET', ofIntegration, {
      access: { role: 'viewer', by: 'session' },
      summary: 'List the API tokens of an integration, oldest first',
      answer: { schema: IntegrationTokenPage },
      handle: async ({ params: { integrationId } }) => ({
        items: await readIntegrationTokens(db, integrationId),
        nextCursor: null,
      }),
    }),
    route('POST', ofIntegration, {
      access: admin,
      summary: 'Create an API token of an integration; the token is only shown in this response',
      body: IntegrationTokenBody,
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      isConfidential: true,
      errors: ['token_limit_reached'],
      answer: { status: 201, schema: CreatedIntegrationToken },
      handle: ({ actor, body }) => createIntegrationToken(deps, actor, body),
    }),
    route('DELETE', `${ofIntegration}/:tokenId`, {
      access: admin,
      summary: 'Revoke an API token of an integration',
      answer: { status: 204 },
      handle: ({ actor, params: { tokenId } }) => revokeIntegrationToken(db, actor, tokenId),
    }),
  ];
}
