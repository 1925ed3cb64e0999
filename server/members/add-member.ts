import type { Tx } from '#platform/database/database.ts';
import { deleteFormerMember, insertMember, insertMemberUnlessThere, type NewMember } from './store.ts';

/** Makes a user a member inside the caller's transaction, whose scope must hold the integration. */
export async function addMember(tx: Tx, member: NewMember): Promise<void> {
  await insertMember(tx, member);
}

/** As `addMember`; false for somebody who is a member already, whose role stays what it is. */
export async function joinAsMember(tx: Tx, member: NewMember): Promise<boolean> {
  const [isNew] = await Promise.all([
    insertMemberUnlessThere(tx, member),
    deleteFormerMember(tx, member.integrationId, member.userId),
  ]);
  return isNew;
}
