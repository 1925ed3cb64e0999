import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Actor } from './lock-member-role.ts';
import { lockMembers, type LockedMember } from '../store.ts';

/**
 * First statement of an action on another member: reads and locks both roles. The target is undefined when they are
 * not a member.
 */
export async function lockActorAndTarget(
  tx: Tx,
  { integrationId, actorId }: Actor,
  targetId: string,
): Promise<{ actorRole: Role; target: LockedMember | undefined }> {
  const members = await lockMembers(tx, integrationId, [actorId, targetId]);
  const actor = members.get(actorId);
  if (actor === undefined)
    throw new AppError('insufficient_role', { detail: 'You are no longer a member of the integration.' });
  return { actorRole: actor.role, target: members.get(targetId) };
}
