import type { Role } from '#contract/roles.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { findLeftAt, findRole, listIntegrationIdsOfUser } from './store.ts';

/** The integrations a person belongs to in any role, in a stable order. */
export async function integrationIdsOf(db: Database, userId: string): Promise<string[]> {
  return db.withScope({ userId }, (tx) => listIntegrationIdsOfUser(tx, userId));
}

/** The role of a person as it is now, for what they are shown; undefined for no member. */
export async function roleIn(tx: Tx, integrationId: string, userId: string): Promise<Role | undefined> {
  return findRole(tx, integrationId, userId);
}

/** When a person was removed or left; undefined for who is a member, or never was one. */
export async function leftAt(tx: Tx, integrationId: string, userId: string): Promise<Date | undefined> {
  return findLeftAt(tx, integrationId, userId);
}
