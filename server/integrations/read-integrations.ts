import type { Integration, IntegrationPage } from '#contract/integrations/integrations.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { decodeCursor, defaultLimit, cursorAfter } from '#platform/http/page-cursor.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import { listIntegrations, type IntegrationRow } from './store.ts';
import { webhookUrl } from './webhook-url.ts';

export interface ReadDeps {
  db: Database;
  publicUrl: string;
}

/** The integrations of a user with the user's role, oldest first. */
export async function readIntegrations(
  { db, publicUrl }: ReadDeps,
  userId: string,
  { limit = defaultLimit, cursor }: { limit?: number; cursor?: string },
): Promise<IntegrationPage> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
  const integrationIds = await integrationIdsOf(db, userId);
  const rows = await db.withScope({ integrationIds }, (tx) =>
    listIntegrations(tx, integrationIds, userId, { ...(after && { after }), limit: limit + 1 }),
  );
  return {
    items: rows.slice(0, limit).map((row) => integrationObject(publicUrl, row)),
    nextCursor: cursorAfter(rows, limit, (row) => row.integration_id),
  };
}

/** One integration with the role of `userId`. Needs the integration in scope. */
export async function readIntegration(
  tx: Tx,
  publicUrl: string,
  { integrationId, userId }: { integrationId: string; userId: string },
): Promise<Integration> {
  const [row] = await listIntegrations(tx, [integrationId], userId);
  if (row === undefined) throw new AppError('insufficient_role', { detail: 'You are no longer a member.' });
  return integrationObject(publicUrl, row);
}

function integrationObject(publicUrl: string, row: IntegrationRow): Integration {
  return {
    integrationId: row.integration_id,
    label: row.label,
    role: row.role,
    webhookUrl: webhookUrl(publicUrl, row.integration_id),
    webhookEvents: row.webhook_events,
    lastSecretUsed: row.last_secret_used,
    previousSecretValidUntil: row.previous_secret_valid_until?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}
