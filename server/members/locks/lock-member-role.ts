import { atLeast, type Role } from '#contract/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { selectMemberForShare } from '../store.ts';

/** Who does something, and where. */
export interface Actor {
  integrationId: string;
  actorId: string;
}

/**
 * First statement of a transaction that changes anything of an integration: reads the actor's role anew and holds it to
 * the end, so that somebody who is demoted or removed at the same moment either acts before or not at all.
 */
export async function lockMemberRole(
  tx: Tx,
  { integrationId, actorId }: Actor,
  minimum: Role,
): Promise<{ role: Role; name: string | null }> {
  const held = await lockMember(tx, { integrationId, actorId });
  if (held !== undefined && atLeast(held.role, minimum)) return held;
  throw new AppError('insufficient_role', { detail: `This needs the role ${minimum} in the integration.` });
}

/** The same for somebody who may well be no member any more; undefined then. */
export async function lockMember(
  tx: Tx,
  { integrationId, actorId }: Actor,
): Promise<{ role: Role; name: string | null } | undefined> {
  return selectMemberForShare(tx, integrationId, actorId);
}
