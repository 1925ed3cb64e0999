import { atLeast, type Role } from '#contract/members/roles.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { lockMembers, selectMemberForShare, type LockedMember } from '../store.ts';

/** A user who acts in an integration. */
export interface Actor {
  integrationId: string;
  actorId: string;
}

/**
 * Runs `work` in a transaction of the actor's integration, in which the actor keeps at least the role.
 * @throws AppError `insufficient_role`
 */
export function withRole<T>(
  db: Pick<Database, 'withScope'>,
  actor: Actor,
  minimum: Role,
  work: (tx: Tx, member: { role: Role; name: string | null }) => Promise<T>,
): Promise<T> {
  return db.withScope({ integrationId: actor.integrationId }, async (tx) =>
    work(tx, await lockMemberRole(tx, actor, minimum)),
  );
}

/**
 * First statement of every transaction that changes an integration: reads and locks the actor's role. A concurrent
 * demotion or removal waits for this transaction, or this transaction sees its result.
 */
export async function lockMemberRole(
  tx: Tx,
  { integrationId, actorId }: Actor,
  minimum: Role,
): Promise<{ role: Role; name: string | null }> {
  const held = await lockMember(tx, { integrationId, actorId });
  if (held !== undefined && atLeast(held.role, minimum)) return held;
  throw new AppError('insufficient_role', {
    detail: `This requires the role ${minimum} in the integration.`,
  });
}

/** As `lockMemberRole`; undefined when the user is not a member. */
export async function lockMember(
  tx: Tx,
  { integrationId, actorId }: Actor,
): Promise<{ role: Role; name: string | null } | undefined> {
  return selectMemberForShare(tx, integrationId, actorId);
}

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
