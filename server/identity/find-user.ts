import type { Database } from '#platform/database/database.ts';
import { findUserByForgeLogin } from './store.ts';

/** The user with this forge login, upper and lower case alike; undefined when nobody of that name has signed in. */
export async function findUserIdByLogin(db: Database, login: string): Promise<string | undefined> {
  return (await db.withScope('service', (tx) => findUserByForgeLogin(tx, login)))?.user_id;
}
