import type { Database } from '#platform/database/database.ts';
import { findOrCreateUser } from './store.ts';

const demoUser = { cognitoIdClaim: 'username', cognitoId: 'demo', name: 'Demo user' } as const;

/** The record of the person whom the demo page signs in, made before they do. Answers its id. */
export async function findOrCreateDemoUser(db: Database): Promise<string> {
  const { user_id: userId } = await db.withScope('service', (tx) => findOrCreateUser(tx, demoUser));
  return userId;
}
