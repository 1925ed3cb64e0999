import type { Role } from '#contract/members/roles.ts';
import { deleteIntegrationRow } from '#server/integrations/store.ts';
import { endAllAccess } from '#server/members/access/end-access.ts';
import { addMember as join, removeMembership, setRole } from '#server/members/access/memberships.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Removes a member as the api does; answers how many updates were committed before. */
export async function removeMember(
  database: TestDatabase,
  userId: string,
  integrationId: string,
): Promise<number> {
  return database.api.withScope({ integrationId }, async (tx) => {
    await removeMembership(tx, integrationId, userId);
    const { rows } = await tx.query<{ seq: string }>(
      'select seq from realtime_stream where integration_id = $1',
      [integrationId],
    );
    return Number(rows[0]?.seq);
  });
}

export const addMember = (database: TestDatabase, userId: string, integrationId: string) =>
  database.api.withScope({ integrationId }, (tx) =>
    join(tx, { integrationId, userId, role: 'viewer', source: 'manual' }),
  );

export const changeRole = (database: TestDatabase, userId: string, integrationId: string, role: Role) =>
  database.api.withScope({ integrationId }, (tx) => setRole(tx, integrationId, userId, role));

/** Deletes an integration as its owner does, who need not exist. */
export const deleteIntegration = (database: TestDatabase, integrationId: string) =>
  database.api.withScope({ integrationId }, async (tx) => {
    await endAllAccess(tx, integrationId);
    await deleteIntegrationRow(tx, integrationId);
  });

/** As sign-out does it: the database announces it. */
export const signOut = (
  database: TestDatabase,
  entry: string,
  whose: { sessionId?: string; userId?: string },
) =>
  database.asOwner(
    `insert into signed_out (entry, expires_at, session_id, user_id) values ($1, now() + interval '1 hour', $2, $3)`,
    [entry, whose.sessionId ?? null, whose.userId ?? null],
  );

/** Connection records of a person. */
export async function countRecords(database: TestDatabase, userId: string): Promise<number> {
  const [row] = await database.asOwner<{ count: number }>(
    'select count(*)::int from ws_connection where user_id = $1',
    [userId],
  );
  return row?.count ?? -1;
}
