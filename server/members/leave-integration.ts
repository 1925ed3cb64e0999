import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { lockActorAndTarget, type Actor } from './locks/lock-member-role.ts';
import { removeMembership } from './access/memberships.ts';

/** Ends one's own membership. @throws AppError `owner_cannot_leave` */
export async function leaveIntegration(db: Database, actor: Actor): Promise<void> {
  const { integrationId, actorId } = actor;
  await db.withScope({ integrationId }, async (tx) => {
    const { actorRole, target } = await lockActorAndTarget(tx, actor, actorId);
    if (actorRole === 'owner')
      throw new AppError('owner_cannot_leave', {
        detail: 'Transfer the ownership first, or delete the integration.',
      });
    await Promise.all([
      removeMembership(tx, integrationId, actorId),
      addLogEntry(tx, {
        ...actor,
        type: 'member.left',
        title: `${target?.name ?? 'A member'} left`,
        details: { userId: actorId, name: target?.name ?? null, role: actorRole },
      }),
    ]);
  });
}
