import type { ForgeConnectionState } from '#contract/integrations/forge-connection.ts';
import type { Database } from '#platform/database/database.ts';
import { findConnection, listChosen, type ConnectionRow, type RepositoryRow } from './store.ts';

type Connection = NonNullable<ForgeConnectionState['connection']>;

/** The access token of an integration, without the token, and the state of its background tasks. */
export async function readConnection(db: Database, integrationId: string): Promise<ForgeConnectionState> {
  return db.withScope({ integrationId }, async (tx) => {
    const row = await findConnection(tx, integrationId);
    if (row === undefined) return { connection: null };
    return { connection: present(row, await listChosen(tx, integrationId)) };
  });
}

function present(row: ConnectionRow, repositories: readonly RepositoryRow[]): Connection {
  const refused = repositories.find(({ webhook_error: error }) => error !== null)?.webhook_error ?? null;
  const error = row.webhooks_error ?? refused;
  return {
    forge: row.forge,
    url: row.url,
    account: row.account_login,
    permissions: row.permissions,
    expiresAt: row.expires_at?.toISOString() ?? null,
    savedAt: row.saved_at.toISOString(),
    webhooks: {
      state: error !== null ? 'failed' : row.webhooks_rest ? 'done' : 'waiting',
      repositories: repositories.length,
      provisioned: repositories.filter(({ has_webhook: has }) => has).length,
      error,
    },
    history: historyOf(row, repositories),
    repositories: repositories.map((each) => ({
      name: each.repository,
      hasWebhook: each.has_webhook,
      error: each.webhook_error,
    })),
  };
}

function historyOf(row: ConnectionRow, repositories: readonly RepositoryRow[]): Connection['history'] {
  if (row.history_since === null) return null;
  const isStarted = row.history_started_at !== null;
  const open = repositories.filter((each) => each.history_is_open).length;
  return {
    state: historyState(row, open),
    since: row.history_since.toISOString(),
    repositories: repositories.length,
    repositoriesRead: isStarted ? repositories.length - open : 0,
    runs: isStarted ? repositories.reduce((sum, each) => sum + each.history_runs, 0) : 0,
    finishedAt: row.history_finished_at?.toISOString() ?? null,
    error:
      row.history_error ?? repositories.find((each) => each.history_error !== null)?.history_error ?? null,
  };
}

function historyState(row: ConnectionRow, open: number): NonNullable<Connection['history']>['state'] {
  const isStarted = row.history_started_at !== null;
  if (row.history_finished_at !== null) return open > 0 || !isStarted ? 'stopped' : 'done';
  if (row.history_error !== null) return 'failed';
  return isStarted ? 'running' : 'waiting';
}
