import { atLeast, type Role } from '#contract/members/roles.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { selectMemberForShare } from '../store.ts';

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
