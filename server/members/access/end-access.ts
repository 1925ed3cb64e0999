import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import { mayInvite } from '../rules.ts';
import {
  countRemoval,
  deleteConnectionRecords,
  notifyMembershipChanges,
  revokeInvitationsOf,
} from './access-store.ts';

/**
 * Ends everything that depends on a membership. Call it after memberships were deleted, in their transaction. The sockets of
 * these users receive nothing that is committed later: a batch of events locks the same stream, so its updates carry the
 * new count of removals, and each node compares its sockets with the memberships before it sends them.
 */
export async function endAccess(tx: Tx, integrationId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  await Promise.all([
    revokeInvitationsOf(tx, integrationId, userIds),
    countRemoval(tx, integrationId),
    deleteConnectionRecords(tx, integrationId, userIds),
    notifyMembershipChanges(tx, [`removed ${integrationId}`]),
  ]);
}

/** Ends the access of all members. Call it before the integration is deleted, in its transaction. */
export async function endAllAccess(tx: Tx, integrationId: string): Promise<void> {
  await Promise.all([
    deleteConnectionRecords(tx, integrationId),
    notifyMembershipChanges(tx, [`removed ${integrationId}`]),
  ]);
}

/**
 * Applies a new role. Call it after the role was stored, in its transaction. A member who loses the right to invite loses
 * their open invitations, even if they regain the right later.
 */
export async function applyRole(tx: Tx, integrationId: string, userId: string, role: Role): Promise<void> {
  await Promise.all([
    mayInvite(role, 'viewer') === 'yes' ? undefined : revokeInvitationsOf(tx, integrationId, [userId]),
    announceMemberships(tx, [userId]),
  ]);
}

/** Open pages of these users read their integrations and roles again. */
export async function announceMemberships(tx: Tx, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  await notifyMembershipChanges(
    tx,
    userIds.map((userId) => `changed ${userId}`),
  );
}
