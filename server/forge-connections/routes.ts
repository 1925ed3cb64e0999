import { forgeErrors } from '#server/forges/explain-failure.ts';
import {
  ChosenRepositoriesBody,
  ForgeConnectionBody,
  ForgeConnectionState,
  ForgeRepositories,
} from '#contract/integrations/forge-connection.ts';
import { route, type Route } from '#server/route.ts';
import { chooseRepositories, listForgeRepositories } from './choose-repositories.ts';
import { readConnection } from './read-connection.ts';
import { removeConnection, saveConnection, type ConnectionDeps } from './save-connection.ts';

const path = '/api/integrations/:integrationId/forge-connection';

export function forgeConnectionRoutes(deps: ConnectionDeps): Route[] {
  return [
    route('GET', path, {
      access: { role: 'viewer' },
      summary: 'Get the connection to a forge by access token, with its repositories; never the token',
      answer: { schema: ForgeConnectionState },
      handle: ({ params: { integrationId } }) => readConnection(deps.db, integrationId),
    }),
    route('PUT', path, {
      access: { role: 'admin', by: 'session' },
      summary: 'Save or replace the access token for a forge after the forge accepted it',
      body: ForgeConnectionBody,
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      errors: [...forgeErrors],
      answer: { status: 204 },
      handle: ({ actor, body }) => saveConnection(deps, actor, body),
    }),
    route('DELETE', path, {
      access: { role: 'admin', by: 'session' },
      summary: 'Remove the access token; the worker removes its webhooks first',
      errors: ['forge_not_connected'],
      answer: { status: 204 },
      handle: ({ actor }) => removeConnection(deps, actor),
    }),
    route('GET', `${path}/repositories`, {
      access: { role: 'admin', by: 'session' },
      summary: 'List the repositories that the access token sees, from the forge',
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      errors: ['forge_not_connected', ...forgeErrors],
      answer: { schema: ForgeRepositories },
      handle: ({ actor }) => listForgeRepositories(deps, actor),
    }),
    route('PUT', `${path}/repositories`, {
      access: { role: 'admin', by: 'session' },
      summary: 'Choose the repositories that get webhooks and whose runs are read',
      body: ChosenRepositoriesBody,
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      errors: ['forge_not_connected', ...forgeErrors],
      answer: { status: 204 },
      handle: ({ actor, body }) => chooseRepositories(deps, actor, body.repositories),
    }),
  ];
}
