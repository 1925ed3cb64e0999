import type { LinkedInstallation } from '#contract/integrations/forge-app.ts';
import type { Tx } from '#platform/database/database.ts';
import { listTaskStates, type TaskStateRow } from './store.ts';
import { keyOfConnection } from './task-kind.ts';

/** How the webhooks and the history of a connection are. */
export type TaskStates = Pick<LinkedInstallation, 'webhooks' | 'history'>;

/** By installation; null is the access token. */
export async function readTaskStates(
  tx: Tx,
  integrationId: string,
): Promise<(installationId: string | null) => TaskStates> {
  const rows = await listTaskStates(tx, integrationId);
  const states = new Map(
    rows.map((row) => [row.key, { webhooks: webhooksOf(row), history: historyOf(row) }]),
  );
  return (installationId) => states.get(keyOfConnection(installationId)) ?? none;
}

const none: TaskStates = {
  webhooks: { state: 'waiting', repositories: 0, provisioned: 0, error: null },
  history: null,
};

function webhooksOf(row: TaskStateRow): TaskStates['webhooks'] {
  const { repositories, provisioned, webhooksError, webhooksRefused, webhooksRest } = row;
  const error = webhooksError ?? webhooksRefused;
  return {
    state: error !== null ? 'failed' : webhooksRest ? 'done' : 'waiting',
    repositories,
    provisioned,
    error,
  };
}

function historyOf(row: TaskStateRow): TaskStates['history'] {
  if (row.since === null) return null;
  const isStarted = row.startedAt !== null;
  return {
    state: historyState(row),
    since: row.since,
    repositories: row.repositories,
    repositoriesRead: isStarted ? row.repositories - row.historyOpen : 0,
    runs: isStarted ? row.historyRuns : 0,
    finishedAt: row.finishedAt,
    error: row.historyError ?? row.historyRefused,
  };
}

function historyState(row: TaskStateRow): NonNullable<TaskStates['history']>['state'] {
  if (row.finishedAt !== null) return row.historyOpen > 0 || row.startedAt === null ? 'stopped' : 'done';
  if (row.historyError !== null) return 'failed';
  return row.startedAt === null ? 'waiting' : 'running';
}
