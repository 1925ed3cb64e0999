import type { Role } from '#contract/roles.ts';
import type { Tx } from '#platform/database/database.ts';

/** Integrations with a pending membership of a forge account. Needs the scope of its user. */
export async function listPending(tx: Tx, forgeId: string): Promise<string[]> {
  const { rows } = await tx.query<{ integration_id: string }>({
    name: 'list-pending-memberships',
    text: 'select integration_id from pending_memberships where forge_id = $1 order by integration_id',
    values: [forgeId],
  });
  return rows.map((row) => row.integration_id);
}

/** Deletes and returns the entry; undefined when another request was first. */
export async function deletePending(
  tx: Tx,
  integrationId: string,
  forgeId: string,
): Promise<{ role: Role } | undefined> {
  const { rows } = await tx.query<{ role: Role }>(
    'delete from pending_memberships where integration_id = $1 and forge_id = $2 returning role',
    [integrationId, forgeId],
  );
  return rows[0];
}

/**
 * Adds a member or raises a synced role. Never changes a manual or higher role, and never adds a former member
 * again.
 */
export async function insertSyncedMember(
  tx: Tx,
  integrationId: string,
  userId: string,
  role: Role,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into memberships as m (integration_id, user_id, role, source)
     select $1::uuid, $2::uuid, $3::member_role, 'org_sync'
     where not exists (select from former_members where integration_id = $1::uuid and user_id = $2::uuid)
     on conflict (integration_id, user_id) do update set role = excluded.role
       where m.source = 'org_sync' and m.role < excluded.role`,
    [integrationId, userId, role],
  );
  return rowCount === 1;
}
