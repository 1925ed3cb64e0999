import type { Tx } from '#platform/database/database.ts';
import { deleteFormerMember, insertMember, insertMemberUnlessThere, type NewMember } from './store.ts';

/** Makes a user a member inside the caller's transaction, whose scope must hold the integration. */
export async function addMember(tx: Tx, member: NewMember): Promise<void> {
  await insertMember(tx, member);
}

/**
 * As `addMember`; an existing member keeps their role. `leftAt` is the time of a previous removal.
 */
export async function joinAsMember(
  tx: Tx,
  member: NewMember,
): Promise<{ isNew: boolean; leftAt: Date | undefined }> {
  const [isNew, leftAt] = await Promise.all([
    // First: it waits for a concurrent removal, so that the next statement sees it.
    insertMemberUnlessThere(tx, member),
    deleteFormerMember(tx, member.integrationId, member.userId),
  ]);
  return { isNew, leftAt };
}
