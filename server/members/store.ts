import type { Role } from '#contract/roles.ts';
import type { Tx } from '#platform/database/database.ts';

export interface NewMember {
  integrationId: string;
  userId: string;
  role: Role;
  source: 'manual' | 'invitation' | 'org_sync';
}

export async function insertMember(tx: Tx, member: NewMember): Promise<void> {
  await tx.query('insert into memberships (integration_id, user_id, role, source) values ($1, $2, $3, $4)', [
    member.integrationId,
    member.userId,
    member.role,
    member.source,
  ]);
}

export async function findRole(tx: Tx, integrationId: string, userId: string): Promise<Role | undefined> {
  const { rows } = await tx.query<{ role: Role }>({
    name: 'find-role',
    text: 'select role from memberships where integration_id = $1 and user_id = $2',
    values: [integrationId, userId],
  });
  return rows[0]?.role;
}

export async function listIntegrationIdsOfUser(tx: Tx, userId: string): Promise<string[]> {
  const { rows } = await tx.query<{ integration_id: string }>({
    name: 'list-integration-ids-of-user',
    text: 'select integration_id from memberships where user_id = $1 order by integration_id',
    values: [userId],
  });
  return rows.map((row) => row.integration_id);
}
