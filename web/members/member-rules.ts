import { atLeast, roles, type Role } from '#contract/members/roles.ts';

interface Pair {
  actorRole: Role;
  targetRole: Role;
  isSelf: boolean;
}

/** Why the current person cannot change a role; undefined if allowed. The server checks the same. */
export function changeRoleReason({ actorRole, targetRole, isSelf }: Pair): string | undefined {
  if (targetRole === 'owner')
    return isSelf
      ? 'To give up ownership, transfer it in the settings'
      : 'The owner changes only by transfer';
  if (!atLeast(actorRole, 'admin')) return 'Only admins and the owner can change roles';
  if (isSelf) return 'You cannot change your own role';
  return manageReason(actorRole, targetRole);
}

export function removeReason({ actorRole, targetRole, isSelf }: Pair): string | undefined {
  if (isSelf) return 'To leave, use the settings';
  if (targetRole === 'owner') return 'The owner cannot be removed';
  if (!atLeast(actorRole, 'admin')) return 'Only admins and the owner can remove members';
  return manageReason(actorRole, targetRole);
}

function manageReason(actorRole: Role, targetRole: Role): string | undefined {
  return targetRole === 'admin' && actorRole !== 'owner' ? 'Only the owner can manage admins' : undefined;
}

/** Ownership is only transferred. */
export const assignableRoles = roles.filter((role) => role !== 'owner');

export const roleTexts: Record<Role, string> = {
  viewer: 'Can view everything',
  member: 'Can view everything and manage rules',
  admin: 'Can manage rules, members and settings',
  owner: 'Can do everything, also transfer and delete the integration',
};
