import type { ForgeAppState, LinkedInstallation } from '#contract/integrations/forge-app.ts';
import type { Database } from '#platform/database/database.ts';
import { readTaskStates, type TaskStates } from '#server/forge-tasks/read-task-states.ts';
import { listInstallations, type InstallationRow } from '../store.ts';

/** The linked installations of an integration with the state of their background tasks. */
export async function readForgeApp(
  db: Database,
  integrationId: string,
  isConfigured: boolean,
): Promise<ForgeAppState> {
  return db.withScope({ integrationId }, async (tx) => {
    const [rows, statesOf] = await Promise.all([
      listInstallations(tx, integrationId),
      readTaskStates(tx, integrationId),
    ]);
    const installations = rows.map((row) => present(row, statesOf(row.installation_id)));
    return { isConfigured, installations };
  });
}

function present(row: InstallationRow, states: TaskStates): LinkedInstallation {
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
    ...states,
  };
}

function syncState(row: InstallationRow): LinkedInstallation['sync']['state'] {
  if (row.sync_error !== null) return 'failed';
  if (row.sync_started_at === null) return 'waiting';
  const isDone = row.sync_finished_at !== null && row.sync_finished_at >= row.sync_started_at;
  return isDone ? 'done' : 'running';
}
