import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import { announceMembers } from '#server/webhook-events/announce-members.ts';
import { announceMemberships, endAccess } from './end-access.ts';
import {
  formerToForget,
  membersToAdd,
  membersToRemove,
  pendingToAdd,
  pendingToDelete,
  type OrganizationAccount,
} from './organization-rules.ts';
import {
  letFormerMembersRejoin,
  deleteOrganizationMembers,
  deletePendingMembers,
  insertOrganizationMembers,
  insertPendingMembers,
  listOrganizationAccounts,
  notifyPendingMemberships,
} from './organization-store.ts';

export interface SyncedMember {
  userId: string;
  name: string | null;
}

export interface MemberChanges {
  joined: readonly SyncedMember[];
  left: readonly SyncedMember[];
}

/**
 * Adds and removes members to match the linked organizations. Needs the integration in scope. Without `forgeIds` it looks at
 * everybody.
 *
 * It reads again before it removes: an insert may have waited for a removal, and a delete for a person who was accepting
 * their pending membership. What they committed shows only then.
 */
export async function syncOrganizationMembers(
  tx: Tx,
  integrationId: string,
  role: Role,
  forgeIds?: readonly number[],
): Promise<MemberChanges> {
  const before = await listOrganizationAccounts(tx, integrationId, forgeIds);
  const awaited = pendingToAdd(before);
  const [joined, , , after] = await Promise.all([
    insertOrganizationMembers(tx, integrationId, membersToAdd(before), role),
    insertPendingMembers(tx, integrationId, awaited, role),
    deletePendingMembers(tx, integrationId, pendingToDelete(before)),
    listOrganizationAccounts(tx, integrationId, forgeIds),
  ]);
  const removed = await deleteOrganizationMembers(tx, integrationId, membersToRemove(after));
  const left = removed.map(({ userId }) => userId);
  await Promise.all([
    announceMemberships(tx, joined),
    awaited.length > 0 ? notifyPendingMemberships(tx) : undefined,
    endAccess(tx, integrationId, left),
    announceMembers(
      tx,
      integrationId,
      'member.added',
      joined.map((userId) => ({ userId, role, previousRole: null })),
    ),
    announceMembers(
      tx,
      integrationId,
      'member.removed',
      removed.map((member) => ({ ...member, previousRole: null })),
    ),
  ]);
  const accounts = [...before, ...after];
  return { joined: membersOf(accounts, joined), left: membersOf(accounts, left) };
}

/**
 * Lets former members join again when they return to an organization that they left. Only a reported departure counts: the forge
 * may report the same addition twice. Needs the integration in scope.
 */
export async function forgetDepartedMembers(
  tx: Tx,
  integrationId: string,
  forgeIds: readonly (number | string)[],
): Promise<void> {
  const departed = await listOrganizationAccounts(tx, integrationId, forgeIds);
  const userIds = formerToForget(departed);
  if (userIds.length > 0) await letFormerMembersRejoin(tx, integrationId, userIds);
}

function membersOf(accounts: readonly OrganizationAccount[], userIds: readonly string[]): SyncedMember[] {
  const names = new Map(accounts.map(({ userId, name }) => [userId, name]));
  return userIds.map((userId) => ({ userId, name: names.get(userId) ?? null }));
}
