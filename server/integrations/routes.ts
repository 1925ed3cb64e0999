import { IntegrationPage, IntegrationQuery } from '#contract/integrations.ts';
import { route } from '#platform/http/route.ts';
import type { Route } from '#server/route.ts';
import { readIntegrations, type ReadDeps } from './read-integrations.ts';

export type IntegrationRoutesDeps = ReadDeps;

export function integrationRoutes(deps: IntegrationRoutesDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/integrations',
      access: 'signed-in',
      summary: 'The integrations of the caller, each with their role',
      query: IntegrationQuery,
      answer: { schema: IntegrationPage },
      handle: ({ query, request }) => readIntegrations(deps, request.caller!.userId, query),
    }),
  ];
}
