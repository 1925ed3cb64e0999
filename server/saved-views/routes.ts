import { SavedView, SavedViewBody, SavedViewPage } from '#contract/runs/saved-views.ts';
import type { Database } from '#platform/database/database.ts';
import { route, type Route } from '#server/route.ts';
import { changeView, createView, removeView } from './save-view.ts';
import { listViews } from './store.ts';

const base = '/api/integrations/:integrationId/saved-views';
const viewer = { role: 'viewer', by: 'person' } as const;

export function savedViewRoutes({ db }: { db: Database }): Route[] {
  return [
    route('GET', base, {
      access: viewer,
      summary: "List the caller's saved views of an integration, by name",
      answer: { schema: SavedViewPage },
      handle: async ({ params: { integrationId }, caller }) => ({
        items: await db.withScope({ integrationId }, (tx) =>
          listViews(tx, { integrationId, userId: caller.userId }),
        ),
        nextCursor: null,
      }),
    }),
    route('POST', base, {
      access: viewer,
      summary: 'Save run filters under a name, visible only to the caller',
      body: SavedViewBody,
      errors: ['conflict'],
      answer: { status: 201, schema: SavedView },
      handle: ({ params: { integrationId }, body, caller }) =>
        createView(db, { integrationId, userId: caller.userId }, body),
    }),
    route('PUT', `${base}/:viewId`, {
      access: viewer,
      summary: "Rename the caller's saved view or change its filters",
      body: SavedViewBody,
      errors: ['conflict'],
      answer: { schema: SavedView },
      handle: ({ params: { integrationId, viewId }, body, caller }) =>
        changeView(db, { integrationId, userId: caller.userId }, viewId, body),
    }),
    route('DELETE', `${base}/:viewId`, {
      access: viewer,
      summary: "Delete the caller's saved view",
      answer: { status: 204 },
      handle: ({ params: { integrationId, viewId }, caller }) =>
        removeView(db, { integrationId, userId: caller.userId }, viewId),
    }),
  ];
}
