import type { Role } from '#contract/members/roles.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { findLeftAt, findRole, listIntegrationIdsOfUser } from './store.ts';

/** Integrations of a user, or of an API token of an integration, in a stable order. */
export async function integrationIdsOf(db: Database, userId: string): Promise<string[]> {
  return db.withScope({ userId }, (tx) => listIntegrationIdsOfUser(tx, userId));
}

/** Current role of a user; undefined when they are not a member. */
export async function roleIn(tx: Tx, integrationId: string, userId: string): Promise<Role | undefined> {
  return findRole(tx, integrationId, userId);
}

/** Time of the removal of a former member; undefined for all others. */
export async function leftAt(tx: Tx, integrationId: string, userId: string): Promise<Date | undefined> {
  return findLeftAt(tx, integrationId, userId);
}
