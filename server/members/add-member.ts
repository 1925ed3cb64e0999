import type { Tx } from '#platform/database/database.ts';
import { deleteFormerMember, insertMember, insertMemberUnlessThere, type NewMember } from './store.ts';

/** Makes a user a member inside the caller's transaction, whose scope must hold the integration. */
export async function addMember(tx: Tx, member: NewMember): Promise<void> {
  await insertMember(tx, member);
}

/**
 * As `addMember`; somebody who is a member already is not new, and keeps their role. `leftAt` is when they were removed, or
 * left, before.
 */
export async function joinAsMember(
  tx: Tx,
  member: NewMember,
): Promise<{ isNew: boolean; leftAt: Date | undefined }> {
  const [isNew, leftAt] = await Promise.all([
    // First: where they are being removed at this moment it waits, and what follows sees that they left.
    insertMemberUnlessThere(tx, member),
    deleteFormerMember(tx, member.integrationId, member.userId),
  ]);
  return { isNew, leftAt };
}
