import type { Tx } from '#platform/database/database.ts';
import {
  deleteTasks,
  makeTasksDue,
  selectIntegrationsWithTasks,
  upsertDueTasks,
  upsertIdleTasks,
} from './store.ts';

/** Starts the tasks of a new link, or of an access token. Needs the integration in scope. */
export async function startLinkTasks(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
): Promise<void> {
  await upsertDueTasks(tx, integrationId, installationId, ['webhooks', 'unfinished']);
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
  const link = installationId === undefined ? { integrationId } : { integrationId, installationId };
  await deleteTasks(tx, { ...link, kinds: ['history', 'unfinished', 'failures'] });
  await makeTasksDue(tx, { ...link, kinds: ['webhooks'] });
}

/** After a change of the secret or of the selected events. Needs the integration in scope. */
export async function requestWebhookUpdate(tx: Tx, integrationId: string): Promise<void> {
  await makeTasksDue(tx, { integrationId, kinds: ['webhooks'] });
}

/**
 * Requests the logs of failed jobs; null is the access token. A task that waits after a failure of the forge goes on waiting. Needs
 * the integration in scope.
 */
export async function requestFailureLogs(
  tx: Tx,
  integrationId: string,
  installationIds: readonly (string | null)[],
): Promise<void> {
  if (installationIds.length > 0) await upsertIdleTasks(tx, integrationId, installationIds, 'failures');
}

/** After a change of permissions or of a suspension. Needs the result of `listIntegrationsWithTasks` in scope. */
export async function requestInstallationTasks(tx: Tx, installationId: string): Promise<void> {
  await makeTasksDue(tx, { installationId, kinds: ['webhooks', 'unfinished'] });
}

/** Includes integrations whose link was removed but whose webhooks were not yet. Needs the installation in scope. */
export function listIntegrationsWithTasks(tx: Tx, installationId: string): Promise<string[]> {
  return selectIntegrationsWithTasks(tx, installationId);
}
