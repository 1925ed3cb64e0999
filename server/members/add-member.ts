import type { Tx } from '#platform/database/database.ts';
import { insertMember, type NewMember } from './store.ts';

/** Makes a user a member inside the caller's transaction, whose scope must hold the integration. */
export async function addMember(tx: Tx, member: NewMember): Promise<void> {
  await insertMember(tx, member);
}
