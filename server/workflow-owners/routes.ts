import { OwnedPlacePage, OwnerAnswer, OwnerBody, OwnerQuery } from '#contract/alerts/workflow-owners.ts';
import { route, type Route } from '#server/route.ts';
import { readOwner, readOwners, setOwner, type OwnerDeps } from './owners.ts';

const base = '/api/integrations/:integrationId';

export function workflowOwnerRoutes(deps: OwnerDeps): Route[] {
  return [
    route('GET', `${base}/workflow-owners`, {
      access: { role: 'viewer' },
      summary: 'List the owners of repositories and workflows, by name',
      answer: { schema: OwnedPlacePage },
      handle: async ({ params: { integrationId } }) => ({
        items: await deps.db.withScope({ integrationId }, (tx) => readOwners(tx, integrationId)),
        nextCursor: null,
      }),
    }),
    route('GET', `${base}/workflow-owner`, {
      access: { role: 'viewer' },
      summary: 'Get the owner of a workflow or repository, and who could be it',
      query: OwnerQuery,
      answer: { schema: OwnerAnswer },
      handle: ({ params: { integrationId }, query }) =>
        deps.db.withScope({ integrationId }, (tx) => readOwner(tx, integrationId, query)),
    }),
    route('PUT', `${base}/workflow-owner`, {
      access: { role: 'admin' },
      summary: 'Set or remove the owner of a workflow or repository',
      body: OwnerBody,
      errors: ['conflict'],
      answer: { schema: OwnerAnswer },
      handle: ({ actor, body }) => setOwner(deps, actor, body),
    }),
  ];
}
