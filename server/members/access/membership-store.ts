import type { MemberSource } from '#contract/members/members.ts';
import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';

export interface NewMember {
  integrationId: string;
  userId: string;
  role: Role;
  source: MemberSource;
}

export async function insertMember(tx: Tx, member: NewMember): Promise<void> {
  await tx.query('insert into memberships (integration_id, user_id, role, source) values ($1, $2, $3, $4)', [
    member.integrationId,
    member.userId,
    member.role,
    member.source,
  ]);
}

export function insertMemberUnlessThere(tx: Tx, member: NewMember): Promise<boolean> {
  return tx.some(
    `insert into memberships (integration_id, user_id, role, source) values ($1, $2, $3, $4)
     on conflict (integration_id, user_id) do nothing`,
    [member.integrationId, member.userId, member.role, member.source],
  );
}

/**
 * Adds a member or raises a synced role. Never changes a manual or higher role, and never adds a former member
 * again. Undefined when nothing changed; the previous role is null for a new member.
 */
export function insertSyncedMember(
  tx: Tx,
  integrationId: string,
  userId: string,
  role: Role,
): Promise<{ previousRole: Role | null } | undefined> {
  return tx.row<{ previousRole: Role | null }>(
    `insert into memberships as m (integration_id, user_id, role, source)
     select $1::uuid, $2::uuid, $3::member_role, 'org_sync'
     where not exists (select from former_members where integration_id = $1::uuid and user_id = $2::uuid and not may_rejoin)
     on conflict (integration_id, user_id) do update set role = excluded.role
       where m.source = 'org_sync' and m.role < excluded.role
     returning (select b.role from memberships b where b.integration_id = $1::uuid and b.user_id = $2::uuid) as "previousRole"`,
    [integrationId, userId, role],
  );
}

/** Marks a synced role as manual, so that member sync keeps it. Returns the previous role; undefined for no member. */
export function updateRole(
  tx: Tx,
  integrationId: string,
  userId: string,
  role: Role,
): Promise<Role | undefined> {
  return tx.value<Role>(
    `update memberships m set role = $3, source = case when m.source = 'org_sync' then 'manual' else m.source end
     from memberships b
     where m.integration_id = $1 and m.user_id = $2 and b.integration_id = m.integration_id and b.user_id = m.user_id
     returning b.role as previous_role`,
    [integrationId, userId, role],
  );
}

/** Records a former member, so that member sync does not add them again. Returns their role; undefined for no member. */
export function deleteMember(tx: Tx, integrationId: string, userId: string): Promise<Role | undefined> {
  return tx.value<Role>(
    `with gone as (
       delete from memberships where integration_id = $1 and user_id = $2 returning integration_id, user_id, role),
     former as (
       insert into former_members (integration_id, user_id) select integration_id, user_id from gone
       on conflict (integration_id, user_id) do update set left_at = now(), may_rejoin = false)
     select role from gone`,
    [integrationId, userId],
  );
}

/** Forgets a former member who joins again. Returns the time of the removal. */
export function deleteFormerMember(tx: Tx, integrationId: string, userId: string): Promise<Date | undefined> {
  return tx.value<Date>(
    'delete from former_members where integration_id = $1 and user_id = $2 returning left_at',
    [integrationId, userId],
  );
}
