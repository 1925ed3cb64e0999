import type { Database } from '#platform/database/database.ts';
import { findOwnerId } from './store.ts';

/** The owner of an integration; undefined when it does not exist. */
export function findOwner(db: Database, integrationId: string): Promise<string | undefined> {
  return db.withScope({ integrationId }, (tx) => findOwnerId(tx, integrationId));
}
