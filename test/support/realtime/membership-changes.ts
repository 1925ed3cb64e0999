import { deleteIntegrationRow } from '#server/integrations/store.ts';
import { insertSignedOut } from '#server/identity/session/signed-out-store.ts';
import { readStreamPosition } from '#server/realtime/outbox/read-position.ts';
import { endAllAccess } from '#server/members/access/end-access.ts';
import { removeMembership } from '#server/members/access/memberships.ts';
import { countRows } from '#test/support/database/rows.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Removes a member as the api does. Returns how many updates were committed before. */
export async function removeMember(
  database: TestDatabase,
  userId: string,
  integrationId: string,
): Promise<number> {
  return database.api.withScope({ integrationId }, async (tx) => {
    await removeMembership(tx, integrationId, userId);
    return (await readStreamPosition(tx, integrationId)).seq;
  });
}

/** Deletes an integration as its owner does, who need not exist. */
export const deleteIntegration = (database: TestDatabase, integrationId: string) =>
  database.api.withScope({ integrationId }, async (tx) => {
    await endAllAccess(tx, integrationId);
    await deleteIntegrationRow(tx, integrationId);
  });

/** As sign-out does it: the database announces it. */
export const signOut = (database: TestDatabase, whose: { sessionId: string } | { userId: string }) =>
  database.api.withScope('service', (tx) => {
    const entry = 'userId' in whose ? `user:${whose.userId}` : `session:${whose.sessionId}`;
    return insertSignedOut(tx, [{ entry, expiresAt: new Date(Date.now() + 3_600_000), ...whose }]);
  });

/** Connection records, one for each integration of a socket: of a person, or of everybody. */
export const countRecords = (database: TestDatabase, userId?: string): Promise<number> =>
  countRows(database, 'ws_connection', userId === undefined ? {} : { user_id: userId });

/** Nodes that are alive, or died and were not noticed. */
export const countNodes = (database: TestDatabase): Promise<number> => countRows(database, 'ws_node');
