import type { Database } from '#platform/database/database.ts';
import { findUserByForgeLogin } from './store.ts';

/** Finds the user with this forge login, ignoring case. Undefined when no such person has signed in. */
export async function findUserIdByLogin(db: Database, login: string): Promise<string | undefined> {
  return (await db.withScope('service', (tx) => findUserByForgeLogin(tx, login)))?.user_id;
}
