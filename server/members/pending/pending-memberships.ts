import { atLeast, type Role } from '#contract/members/roles.ts';
import type { Database } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { joinFromOrganization } from '../access/memberships.ts';
import { listPending, deletePending } from './pending-store.ts';
import { selectMemberForShare } from '../store.ts';

/**
 * Accepts the pending memberships of a forge account. Needs one round trip when there are none. Row-level security
 * shows a user only entries of their `users.forge_id`, so a confirmed forge ID must be stored first. Roles are
 * capped at `most`. Returns the integrations that the user joined or got a higher role in.
 */
export async function acceptPendingMemberships(
  db: Database,
  { userId, forgeId }: { userId: string; forgeId: string },
  most: Role,
): Promise<string[]> {
  const waiting = await db.withScope({ userId }, (tx) => listPending(tx, forgeId));
  const joined: string[] = [];
  for (const integrationId of waiting) {
    if (await joinPending(db, { integrationId, userId, forgeId }, most)) joined.push(integrationId);
  }
  return joined;
}

async function joinPending(
  db: Database,
  { integrationId, userId, forgeId }: { integrationId: string; userId: string; forgeId: string },
  most: Role,
): Promise<boolean> {
  return db.withScope({ joiningIntegrationId: integrationId }, async (tx) => {
    const entry = await deletePending(tx, integrationId, forgeId);
    if (entry === undefined) return false;
    const role = atLeast(entry.role, most) ? most : entry.role;
    if (!(await joinFromOrganization(tx, integrationId, userId, role))) return false;
    const member = await selectMemberForShare(tx, integrationId, userId);
    await addLogEntry(tx, {
      integrationId,
      type: 'member.joined',
      title: `${member?.name ?? 'Somebody'} joined as ${role}, as a member of the forge’s organization`,
      details: { userId, role, source: 'org_sync' },
    });
    return true;
  });
}
