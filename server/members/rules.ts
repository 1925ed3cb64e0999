import type { ErrorCode } from '#contract/base/errors.ts';
import { atLeast, type Role } from '#contract/members/roles.ts';

/** Why somebody may not do what they asked for, or that they may. */
export type Verdict =
  | 'yes'
  | Extract<
      ErrorCode,
      | 'insufficient_role'
      | 'own_role_not_changeable'
      | 'owner_not_assignable'
      | 'owner_not_removable'
      | 'admin_not_manageable'
    >;

export interface RoleChange {
  actorRole: Role;
  targetRole: Role;
  newRole: Role;
  isSelf: boolean;
}

/** Admins manage everybody below them and may make others admins; only the owner manages admins; nobody owners. */
export function mayChangeRole({ actorRole, targetRole, newRole, isSelf }: RoleChange): Verdict {
  if (!atLeast(actorRole, 'admin')) return 'insufficient_role';
  if (isSelf) return 'own_role_not_changeable';
  if (newRole === 'owner') return 'owner_not_assignable';
  return mayManage(actorRole, targetRole);
}

export function mayRemove(actorRole: Role, targetRole: Role): Verdict {
  return atLeast(actorRole, 'admin') ? mayManage(actorRole, targetRole) : 'insufficient_role';
}

/** What an inviter may offer; the same when it is accepted as when it was made. */
export function mayInvite(actorRole: Role, newRole: Role): Verdict {
  if (!atLeast(actorRole, 'admin')) return 'insufficient_role';
  return newRole === 'owner' ? 'owner_not_assignable' : 'yes';
}

function mayManage(actorRole: Role, targetRole: Role): Verdict {
  if (targetRole === 'owner') return 'owner_not_removable';
  return targetRole === 'admin' && actorRole !== 'owner' ? 'admin_not_manageable' : 'yes';
}
