import type { Database } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { memberNotFound } from './change-role.ts';
import { lockActorAndTarget, type Actor } from './locks/lock-member-role.ts';
import { throwUnlessAllowed } from './refuse.ts';
import { mayRemove } from './rules.ts';
import { removeMembership } from './access/memberships.ts';

/** Removes a member. Their open sockets close at the commit. @throws AppError `not_found`, or the refusal of `mayRemove` */
export async function removeMember(db: Database, actor: Actor, userId: string): Promise<void> {
  const { integrationId } = actor;
  await db.withScope({ integrationId }, async (tx) => {
    const { actorRole, target } = await lockActorAndTarget(tx, actor, userId);
    throwUnlessAllowed(mayRemove(actorRole, target?.role ?? 'viewer'));
    if (target === undefined) throw memberNotFound();
    await Promise.all([
      removeMembership(tx, integrationId, userId),
      addLogEntry(tx, {
        ...actor,
        type: 'member.removed',
        title: `${target.name ?? 'A member'} was removed`,
        details: { userId, name: target.name, role: target.role },
      }),
    ]);
  });
}
