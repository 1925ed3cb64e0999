import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { endLinkTasks } from '#server/forge-tasks/request-tasks.ts';
import { endAllAccess } from '#server/members/access/end-access.ts';
import { type Actor, lockAllMembers } from '#server/members/locks/lock-member-role.ts';
import { deleteIntegrationRow, lockWriters } from './store.ts';

/**
 * Deletes the integration with its memberships, secrets and invitations at once. From then on its webhooks are refused, and its
 * sockets are notified. `server/integrations/purge-deleted.ts` deletes its data later. The event log is deleted too, so the service
 * log records who did it.
 */
export async function deleteIntegration(
  { db, log }: { db: Database; log: Log },
  actor: Actor,
): Promise<void> {
  const { integrationId, actorId } = actor;
  await db.withScope({ integrationId }, async (tx) => {
    await lockAllMembers(tx, actor, 'owner');
    await lockWriters(tx, integrationId);
    await endAllAccess(tx, integrationId);
    await deleteIntegrationRow(tx, integrationId);
    // Links before their tasks, as in an uninstall event: another order could end in a deadlock.
    await endLinkTasks(tx, integrationId);
  });
  log.warn({ audit: 'integration.deleted', integrationId, actorId }, 'integration deleted');
}
