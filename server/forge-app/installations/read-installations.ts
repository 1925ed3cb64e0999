import type { ForgeAppState, LinkedInstallation } from '#contract/integrations/forge-app.ts';
import type { Database } from '#platform/database/database.ts';
import { listInstallations, type InstallationRow } from '../store.ts';

/** The linked installations of an integration with the state of their background tasks. */
export async function readForgeApp(
  db: Database,
  integrationId: string,
  isConfigured: boolean,
): Promise<ForgeAppState> {
  const rows = await db.withScope({ integrationId }, (tx) => listInstallations(tx, integrationId));
  return { isConfigured, installations: rows.map(present) };
}

function present(row: InstallationRow): LinkedInstallation {
  return {
    installationId: row.installation_id,
    account: { login: row.account_login, type: row.account_type },
    linkedAt: row.linked_at.toISOString(),
    isSuspended: row.is_suspended,
    sync: {
      state: syncState(row),
      members: row.members,
      finishedAt: row.sync_finished_at?.toISOString() ?? null,
      nextAt: row.sync_due_at?.toISOString() ?? null,
      error: row.sync_error,
    },
    webhooks: {
      state: webhooksState(row),
      repositories: row.repositories,
      provisioned: row.provisioned,
      error: row.webhooks_error ?? row.webhooks_refused,
    },
    history: row.history_since && {
      state: historyState(row),
      since: row.history_since.toISOString(),
      repositories: row.repositories,
      repositoriesRead: row.history_started_at === null ? 0 : row.repositories - row.history_open,
      runs: row.history_started_at === null ? 0 : row.history_runs,
      finishedAt: row.history_finished_at?.toISOString() ?? null,
      error: row.history_error ?? row.history_refused,
    },
  };
}

function webhooksState(row: InstallationRow): LinkedInstallation['webhooks']['state'] {
  if (row.webhooks_error !== null || row.webhooks_refused !== null) return 'failed';
  return row.webhooks_rest ? 'done' : 'waiting';
}

function historyState(row: InstallationRow): NonNullable<LinkedInstallation['history']>['state'] {
  if (row.history_finished_at !== null)
    return row.history_open > 0 || row.history_started_at === null ? 'stopped' : 'done';
  if (row.history_error !== null) return 'failed';
  return row.history_started_at === null ? 'waiting' : 'running';
}

function syncState(row: InstallationRow): LinkedInstallation['sync']['state'] {
  if (row.sync_error !== null) return 'failed';
  if (row.sync_started_at === null) return 'waiting';
  const isDone = row.sync_finished_at !== null && row.sync_finished_at >= row.sync_started_at;
  return isDone ? 'done' : 'running';
}
