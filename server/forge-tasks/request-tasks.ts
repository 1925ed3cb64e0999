import type { Tx } from '#platform/database/database.ts';
import { requestTasks } from '#server/tasks/request-tasks.ts';
import { deleteTasks, makeTasksDue, selectIntegrationsWithTasks } from './store.ts';
import { keyOfConnection } from './task-kind.ts';

/** Starts the tasks of a new link, or of an access token. Needs the integration in scope. */
export async function startLinkTasks(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
): Promise<void> {
  for (const kind of ['forge-webhooks', 'forge-unfinished'])
    await requestTasks(tx, { integrationId, kind }, [keyOfConnection(installationId)], 'restart');
}

/**
 * Ends the tasks of a link, or of all links of an integration. The webhooks must still be removed at the forge, so that task
 * becomes due. Needs the integration in scope.
 */
export async function endLinkTasks(
  tx: Tx,
  integrationId: string,
  installationId?: string | null,
): Promise<void> {
  const link =
    installationId === undefined
      ? { integrationId }
      : { integrationId, key: keyOfConnection(installationId) };
  await deleteTasks(tx, {
    ...link,
    kinds: [
      'forge-history',
      'forge-unfinished',
      'forge-logs',
      'forge-commits',
      'forge-artifacts',
      'forge-checks',
    ],
  });
  await makeTasksDue(tx, { ...link, kinds: ['forge-webhooks'] });
}

/** After a change of the secret or of the selected events. Needs the integration in scope. */
export async function requestWebhookUpdate(tx: Tx, integrationId: string): Promise<void> {
  await makeTasksDue(tx, { integrationId, kinds: ['forge-webhooks'] });
}

/**
 * Requests the logs of failed jobs, or commits; null is the access token. A task that waits after a failure of the forge goes on
 * waiting. Needs the integration in scope.
 */
export async function requestReading(
  tx: Tx,
  integrationId: string,
  kind: 'forge-logs' | 'forge-commits',
  installationIds: readonly (string | null)[],
): Promise<void> {
  const of = { integrationId, kind };
  if (installationIds.length > 0)
    await requestTasks(tx, of, installationIds.map(keyOfConnection), 'scheduled');
}

/** After a change of permissions or of a suspension. Needs the result of `listIntegrationsWithTasks` in scope. */
export async function requestInstallationTasks(tx: Tx, installationId: string): Promise<void> {
  await makeTasksDue(tx, { key: installationId, kinds: ['forge-webhooks', 'forge-unfinished'] });
}

/** Includes integrations whose link was removed but whose webhooks were not yet. Needs the installation in scope. */
export function listIntegrationsWithTasks(tx: Tx, installationId: string): Promise<string[]> {
  return selectIntegrationsWithTasks(tx, installationId);
}
