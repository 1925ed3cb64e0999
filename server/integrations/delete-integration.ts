import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { lockAllMembers } from '#server/members/locks/lock-all-members.ts';
import { type Actor } from '#server/members/locks/lock-member-role.ts';
import { deleteIntegrationRow, holdWriters } from './store.ts';

/**
 * Ends the integration with all memberships, secrets and invitations at once: its webhooks are refused, its sockets told.
 * What it stored is purged afterwards, see `purge-deleted.ts`. The event log goes too, so the log of the service tells
 * who did it.
 */
export async function deleteIntegration(
  { db, log }: { db: Database; log: Log },
  actor: Actor,
): Promise<void> {
  const { integrationId, actorId } = actor;
  await db.withScope({ integrationId }, async (tx) => {
    await lockAllMembers(tx, actor, 'owner');
    await holdWriters(tx);
    await deleteIntegrationRow(tx, integrationId);
  });
  log.warn({ audit: 'integration.deleted', integrationId, actorId }, 'an integration was deleted');
}
