import type { Database } from '#platform/database/database.ts';
import { findOrCreateUser } from './store.ts';

const demoUser = { cognitoIdClaim: 'username', cognitoId: 'demo', name: 'Demo user' } as const;

/** Creates the demo user, who may not have signed in yet. Returns the user's ID. */
export async function findOrCreateDemoUser(db: Database): Promise<string> {
  const { user_id: userId } = await db.withScope('service', (tx) => findOrCreateUser(tx, demoUser));
  return userId;
}
