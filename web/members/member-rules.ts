import { atLeast, roles, type Role } from '#contract/roles.ts';

interface Pair {
  actorRole: Role;
  targetRole: Role;
  isSelf: boolean;
}

/** Why somebody's role cannot be changed by who is looking; undefined when it can. The server has the last word. */
export function changeRoleReason({ actorRole, targetRole, isSelf }: Pair): string | undefined {
  if (targetRole === 'owner')
    return isSelf
      ? 'To stop being the owner, hand over the ownership in the settings'
      : 'The owner changes by transfer alone';
  if (!atLeast(actorRole, 'admin')) return 'Only admins and the owner change roles';
  if (isSelf) return 'Nobody changes their own role';
  return manageReason(actorRole, targetRole);
}

export function removeReason({ actorRole, targetRole, isSelf }: Pair): string | undefined {
  if (isSelf) return 'To go yourself, leave in the settings';
  if (targetRole === 'owner') return 'The owner cannot be removed';
  if (!atLeast(actorRole, 'admin')) return 'Only admins and the owner remove members';
  return manageReason(actorRole, targetRole);
}

function manageReason(actorRole: Role, targetRole: Role): string | undefined {
  return targetRole === 'admin' && actorRole !== 'owner' ? 'Only the owner manages admins' : undefined;
}

/** Ownership is given by transfer alone. */
export const assignableRoles = roles.filter((role) => role !== 'owner');

export const roleTexts: Record<Role, string> = {
  viewer: 'Sees everything',
  member: 'Also makes notification rules',
  admin: 'Also manages members and settings',
  owner: 'Also deletes the integration and hands it over',
};
