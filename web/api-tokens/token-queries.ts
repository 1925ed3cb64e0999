import { queryOptions } from '@tanstack/react-query';
import type { IntegrationToken, PersonalToken } from '#contract/members/api-tokens.ts';
import { jsonQuery } from '../api/path-queries.ts';

export const personalTokens = '/api/user/tokens';

export const integrationTokens = (integrationId: string): string =>
  `/api/integrations/${integrationId}/tokens`;

/** The API tokens at a path. */
export const tokensQuery = <T extends PersonalToken | IntegrationToken>(path: string) =>
  queryOptions({
    ...jsonQuery<{ items: T[] }>(path),
    select: ({ items }) => items,
  });
