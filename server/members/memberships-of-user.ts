import type { Database } from '#platform/database/database.ts';
import { listIntegrationIdsOfUser } from './store.ts';

/** The integrations a person belongs to in any role, in a stable order. */
export async function integrationIdsOf(db: Database, userId: string): Promise<string[]> {
  return db.withScope({ userId }, (tx) => listIntegrationIdsOfUser(tx, userId));
}
