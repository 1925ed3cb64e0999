import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { memberNotFound } from './change-role.ts';
import { lockActorAndTarget, type Actor } from './locks/lock-member-role.ts';
import { limitOwned } from './limit-owned.ts';
import { setRole } from './access/memberships.ts';

/**
 * Makes a member the owner and the previous owner an admin, in one transaction. @throws AppError `insufficient_role` for anybody but
 * the owner, `not_found` for no member, `conflict` for oneself, `integration_limit_reached`
 */
export async function transferOwnership(
  db: Database,
  actor: Actor,
  { userId, maxOwned }: { userId: string; maxOwned: number },
): Promise<void> {
  const { integrationId, actorId } = actor;
  await db.withScope({ integrationId }, async (tx) => {
    const { actorRole, target } = await lockActorAndTarget(tx, actor, userId);
    if (actorRole !== 'owner')
      throw new AppError('insufficient_role', { detail: 'This requires the role owner in the integration.' });
    if (target === undefined) throw memberNotFound();
    if (userId === actorId) throw new AppError('conflict', { detail: 'You are already the owner.' });
    await limitOwned(tx, userId, maxOwned);
    await Promise.all([
      // In this order: there is one owner at most at any moment.
      setRole(tx, integrationId, actorId, 'admin'),
      setRole(tx, integrationId, userId, 'owner'),
      addLogEntry(tx, {
        ...actor,
        type: 'integration.ownership_transferred',
        severity: 'warning',
        title: `${target.name ?? 'A member'} is now the owner`,
        details: { userId, name: target.name, from: target.role },
      }),
    ]);
  });
}
