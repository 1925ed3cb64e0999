import type { Role } from '#contract/members/roles.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { lockActorAndTarget, type Actor } from './locks/lock-member-role.ts';
import { throwUnlessAllowed } from './refuse.ts';
import { mayChangeRole } from './rules.ts';
import { setRole } from './access/memberships.ts';

/** Gives a member another role. @throws AppError `not_found`, or the refusal of `mayChangeRole` */
export async function changeRole(
  db: Database,
  actor: Actor,
  { userId, role }: { userId: string; role: Role },
): Promise<void> {
  const { integrationId, actorId } = actor;
  await db.withScope({ integrationId }, async (tx) => {
    const { actorRole, target } = await lockActorAndTarget(tx, actor, userId);
    const isSelf = userId === actorId;
    throwUnlessAllowed(
      mayChangeRole({ actorRole, targetRole: target?.role ?? 'viewer', newRole: role, isSelf }),
    );
    if (target === undefined) throw memberNotFound();
    if (target.role === role) return;
    await Promise.all([
      setRole(tx, integrationId, userId, role),
      addLogEntry(tx, {
        ...actor,
        type: 'member.role_changed',
        title: `${target.name ?? 'A member'} is now ${role}, was ${target.role}`,
        details: { userId, name: target.name, from: target.role, to: role },
      }),
    ]);
  });
}

export function memberNotFound(): AppError {
  return new AppError('not_found', { detail: 'Member not found.' });
}
