import { atLeast, type Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Actor } from './lock-member-role.ts';
import { lockMembers } from '../store.ts';

/**
 * Locks all memberships before an action that ends them. Changes in progress finish first, since each of them locks
 * its own membership first.
 */
export async function lockAllMembers(
  tx: Tx,
  { integrationId, actorId }: Actor,
  minimum: Role,
): Promise<void> {
  const actor = (await lockMembers(tx, integrationId)).get(actorId);
  if (actor === undefined || !atLeast(actor.role, minimum))
    throw new AppError('insufficient_role', {
      detail: `This requires the role ${minimum} in the integration.`,
    });
}
