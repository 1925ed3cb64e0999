import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import { announceMembers } from '#server/webhook-events/announce-members.ts';
import { announceMemberships, applyRole, endAccess } from './end-access.ts';
import {
  deleteFormerMember,
  deleteMember,
  insertMember,
  insertMemberUnlessThere,
  insertSyncedMember,
  updateRole,
  type NewMember,
} from './membership-store.ts';

/**
 * All writes of memberships. Each runs in the caller's transaction, whose scope must contain the integration, and takes the
 * steps that follow from it.
 */
export async function addMember(tx: Tx, member: NewMember): Promise<void> {
  await Promise.all([insertMember(tx, member), announceMemberships(tx, [member.userId])]);
}

/** As `addMember`; an existing member keeps their role. `leftAt` is the time of a previous removal. */
export async function joinAsMember(
  tx: Tx,
  member: NewMember,
): Promise<{ isNew: boolean; leftAt: Date | undefined }> {
  const [isNew, leftAt] = await Promise.all([
    // First: it waits for a concurrent removal, so that the next statement sees it.
    insertMemberUnlessThere(tx, member),
    deleteFormerMember(tx, member.integrationId, member.userId),
    announceMemberships(tx, [member.userId]),
  ]);
  const { integrationId, userId, role } = member;
  if (isNew) await announceMembers(tx, integrationId, 'member.added', [{ userId, role, previousRole: null }]);
  return { isNew, leftAt };
}

/** Adds a member of the organization or raises their role, see `insertSyncedMember`. False when nothing changed. */
export async function joinFromOrganization(
  tx: Tx,
  integrationId: string,
  userId: string,
  role: Role,
): Promise<boolean> {
  const changed = await insertSyncedMember(tx, integrationId, userId, role);
  if (changed === undefined) return false;
  const { previousRole } = changed;
  const type = previousRole === null ? 'member.added' : 'member.role_changed';
  await Promise.all([
    announceMemberships(tx, [userId]),
    announceMembers(tx, integrationId, type, [{ userId, role, previousRole }]),
  ]);
  return true;
}

/** Gives a member a role by hand. */
export async function setRole(tx: Tx, integrationId: string, userId: string, role: Role): Promise<void> {
  const [previousRole] = await Promise.all([
    updateRole(tx, integrationId, userId, role),
    applyRole(tx, integrationId, userId, role),
  ]);
  if (previousRole === undefined || previousRole === role) return;
  await announceMembers(tx, integrationId, 'member.role_changed', [{ userId, role, previousRole }]);
}

/** Ends a membership. Member sync does not add the user again. */
export async function removeMembership(tx: Tx, integrationId: string, userId: string): Promise<void> {
  const [role] = await Promise.all([
    deleteMember(tx, integrationId, userId),
    endAccess(tx, integrationId, [userId]),
  ]);
  if (role !== undefined)
    await announceMembers(tx, integrationId, 'member.removed', [{ userId, role, previousRole: null }]);
}
