import type { ForgeConnectionState } from '#contract/integrations/forge-connection.ts';
import type { Database } from '#platform/database/database.ts';
import { readTaskStates } from '#server/forge-tasks/read-task-states.ts';
import { findConnection, listChosen } from './store.ts';

/** The access token of an integration, without the token, and the state of its background tasks. */
export async function readConnection(db: Database, integrationId: string): Promise<ForgeConnectionState> {
  return db.withScope({ integrationId }, async (tx) => {
    const row = await findConnection(tx, integrationId);
    if (row === undefined) return { connection: null };
    const [repositories, statesOf] = await Promise.all([
      listChosen(tx, integrationId),
      readTaskStates(tx, integrationId),
    ]);
    return {
      connection: {
        forge: row.forge,
        url: row.url,
        account: row.account_login,
        permissions: row.permissions,
        expiresAt: row.expires_at?.toISOString() ?? null,
        savedAt: row.saved_at.toISOString(),
        ...statesOf(null),
        repositories,
      },
    };
  });
}
