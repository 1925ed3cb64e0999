import { Type } from 'typebox';
import { IntegrationPage, type Integration } from '#contract/integrations.ts';
import type { Database } from '#platform/database/database.ts';
import { route } from '#platform/http/route.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import type { Route } from '#server/route.ts';
import { listIntegrations } from './store.ts';
import { webhookUrl } from './webhook-url.ts';

export interface IntegrationRoutesDeps {
  db: Database;
  publicUrl: string;
}

export function integrationRoutes({ db, publicUrl }: IntegrationRoutesDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/integrations',
      access: 'signed-in',
      summary: 'The integrations of the caller, each with their role',
      query: Type.Object({}, { additionalProperties: false }),
      answer: { schema: IntegrationPage },
      handle: async ({ request }) => {
        const userId = request.caller?.userId ?? '';
        const integrationIds = await integrationIdsOf(db, userId);
        const rows = await db.withScope({ integrationIds }, (tx) =>
          listIntegrations(tx, integrationIds, userId),
        );
        const items = rows.map((row): Integration => ({
          integrationId: row.integration_id,
          label: row.label,
          role: row.role,
          webhookUrl: webhookUrl(publicUrl, row.integration_id),
          webhookEvents: row.webhook_events,
          createdAt: row.created_at.toISOString(),
        }));
        return { items, nextCursor: null };
      },
    }),
  ];
}
