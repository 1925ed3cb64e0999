import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import type { OrganizationAccount } from './organization-rules.ts';

/**
 * The accounts in the linked organizations, and those that are or become members because they were; or only the given ones.
 * Sorted, so that concurrent syncs write in the same order.
 */
export function listOrganizationAccounts(
  tx: Tx,
  integrationId: string,
  forgeIds?: readonly (number | string)[],
): Promise<OrganizationAccount[]> {
  return tx.rows<OrganizationAccount>(
    `with organization as (
       select distinct m.forge_id from installation_links l
         join forge_installations i on i.installation_id = l.installation_id and not i.is_deleted
         join organization_members m on m.installation_id = l.installation_id and m.is_member
       where l.integration_id = $1 and ($2::bigint[] is null or m.forge_id = any ($2))
     ), accounts as (
       select forge_id from organization
       union select u.forge_id from memberships m join users u using (user_id)
         where m.integration_id = $1 and m.source = 'org_sync'
       union select forge_id from pending_memberships where integration_id = $1 and source = 'org_sync'
       union select unnest($2::bigint[])
     )
     select a.forge_id::text as "forgeId", o.forge_id is not null as "isInOrganization", u.user_id as "userId",
       coalesce(u.name, u.forge_login) as name, m.role, m.source, coalesce(not f.may_rejoin, false) as "isFormer",
       p.forge_id is not null as "isPending"
     from accounts a
       left join organization o on o.forge_id = a.forge_id
       left join users u on u.forge_id = a.forge_id
       left join memberships m on m.integration_id = $1 and m.user_id = u.user_id
       left join former_members f on f.integration_id = $1 and f.user_id = u.user_id
       left join pending_memberships p on p.integration_id = $1 and p.forge_id = a.forge_id and p.source = 'org_sync'
     where a.forge_id is not null and ($2::bigint[] is null or a.forge_id = any ($2))
     order by a.forge_id`,
    [integrationId, forgeIds ?? null],
  );
}

/** Returns who was not a member yet. */
export function insertOrganizationMembers(
  tx: Tx,
  integrationId: string,
  userIds: readonly string[],
  role: Role,
): Promise<string[]> {
  return tx.column<string>(
    `insert into memberships (integration_id, user_id, role, source)
     select $1, user_id, $3, 'org_sync' from unnest($2::uuid[]) as user_id
     on conflict do nothing returning user_id`,
    [integrationId, userIds, role],
  );
}

/** Returns who left, with their role. Keeps those whose role was chosen in the meantime. */
export function deleteOrganizationMembers(
  tx: Tx,
  integrationId: string,
  userIds: readonly string[],
): Promise<{ userId: string; role: Role }[]> {
  return tx.rows<{ userId: string; role: Role }>(
    `delete from memberships
     where integration_id = $1 and user_id = any ($2) and source = 'org_sync' and role <> 'owner'
     returning user_id as "userId", role`,
    [integrationId, userIds],
  );
}

export async function insertPendingMembers(
  tx: Tx,
  integrationId: string,
  forgeIds: readonly string[],
  role: Role,
): Promise<void> {
  await tx.query(
    `insert into pending_memberships (integration_id, forge_id, role, source)
     select $1, forge_id, $3, 'org_sync' from unnest($2::bigint[]) as forge_id
     on conflict do nothing`,
    [integrationId, forgeIds, role],
  );
}

export async function deletePendingMembers(
  tx: Tx,
  integrationId: string,
  forgeIds: readonly string[],
): Promise<void> {
  await tx.query(
    `delete from pending_memberships where integration_id = $1 and forge_id = any ($2) and source = 'org_sync'`,
    [integrationId, forgeIds],
  );
}

/** Their invitations from before they were removed stay without effect. */
export async function letFormerMembersRejoin(
  tx: Tx,
  integrationId: string,
  userIds: readonly string[],
): Promise<void> {
  await tx.query(
    'update former_members set may_rejoin = true where integration_id = $1 and user_id = any ($2)',
    [integrationId, userIds],
  );
}

/** Every process looks for entries of the people who are signed in. */
export async function notifyPendingMemberships(tx: Tx): Promise<void> {
  await tx.query(`select pg_notify('pending_memberships_changed', '')`);
}
