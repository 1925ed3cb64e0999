import type { ForgeAppState, LinkedInstallation } from '#contract/forge-app.ts';
import type { Database } from '#platform/database/database.ts';
import { listInstallations, type InstallationRow } from './store.ts';

/** What is linked to an integration, and how far its members have been read. */
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
      state: stateOf(row),
      members: row.members,
      finishedAt: row.sync_finished_at?.toISOString() ?? null,
      nextAt: row.sync_due_at?.toISOString() ?? null,
      error: row.sync_error,
    },
  };
}

function stateOf(row: InstallationRow): LinkedInstallation['sync']['state'] {
  if (row.sync_error !== null) return 'failed';
  if (row.sync_started_at === null) return 'waiting';
  const isDone = row.sync_finished_at !== null && row.sync_finished_at >= row.sync_started_at;
  return isDone ? 'done' : 'running';
}
