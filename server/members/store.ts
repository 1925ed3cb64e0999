import type { PagePosition } from '#platform/http/page-cursor.ts';
import type { MemberSource } from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
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

export async function insertMemberUnlessThere(tx: Tx, member: NewMember): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into memberships (integration_id, user_id, role, source) values ($1, $2, $3, $4)
     on conflict (integration_id, user_id) do nothing`,
    [member.integrationId, member.userId, member.role, member.source],
  );
  return rowCount === 1;
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

export interface LockedMember {
  user_id: string;
  role: Role;
  name: string | null;
}

/** Reads and locks the role until the transaction ends. */
export async function selectMemberForShare(
  tx: Tx,
  integrationId: string,
  userId: string,
): Promise<LockedMember | undefined> {
  const { rows } = await tx.query<LockedMember>(
    `select m.user_id, m.role, coalesce(u.name, u.forge_login) as name
     from memberships m join users u on u.user_id = m.user_id
     where m.integration_id = $1 and m.user_id = $2 for share of m`,
    [integrationId, userId],
  );
  return rows[0];
}

/** Locks the given members, or all. The order is fixed, to prevent deadlocks. */
export async function lockMembers(
  tx: Tx,
  integrationId: string,
  userIds?: readonly string[],
): Promise<Map<string, LockedMember>> {
  const { rows } = await tx.query<LockedMember>(
    `select m.user_id, m.role, coalesce(u.name, u.forge_login) as name
     from memberships m join users u on u.user_id = m.user_id
     where m.integration_id = $1 and ($2::uuid[] is null or m.user_id = any ($2))
     order by m.user_id for update of m`,
    [integrationId, userIds ?? null],
  );
  return new Map(rows.map((row) => [row.user_id, row]));
}

/** Marks a synced role as manual, so that member sync keeps it. */
export async function updateRole(tx: Tx, integrationId: string, userId: string, role: Role): Promise<void> {
  await tx.query(
    `update memberships set role = $3, source = case when source = 'org_sync' then 'manual' else source end
     where integration_id = $1 and user_id = $2`,
    [integrationId, userId, role],
  );
}

/** Records a former member, so that member sync does not add them again. */
export async function deleteMember(tx: Tx, integrationId: string, userId: string): Promise<void> {
  await tx.query(
    `with gone as (
       delete from memberships where integration_id = $1 and user_id = $2 returning integration_id, user_id)
     insert into former_members (integration_id, user_id) select * from gone on conflict do nothing`,
    [integrationId, userId],
  );
}

/** Time of the removal of a former member. */
export async function findLeftAt(tx: Tx, integrationId: string, userId: string): Promise<Date | undefined> {
  const { rows } = await tx.query<{ left_at: Date }>(
    'select left_at from former_members where integration_id = $1 and user_id = $2',
    [integrationId, userId],
  );
  return rows[0]?.left_at;
}

/** Forgets a former member who joins again. Returns the time of the removal. */
export async function deleteFormerMember(
  tx: Tx,
  integrationId: string,
  userId: string,
): Promise<Date | undefined> {
  const { rows } = await tx.query<{ left_at: Date }>(
    'delete from former_members where integration_id = $1 and user_id = $2 returning left_at',
    [integrationId, userId],
  );
  return rows[0]?.left_at;
}

export interface MemberRow {
  user_id: string;
  role: Role;
  source: MemberSource;
  created_at: Date;
  at_micros: string;
  name: string | null;
  forge_login: string | null;
  picture: string | null;
  email: string | null;
}

/** In the order they joined, those after the position. */
export async function listMembers(
  tx: Tx,
  integrationId: string,
  after: PagePosition | undefined,
  limit: number,
): Promise<MemberRow[]> {
  const { rows } = await tx.query<MemberRow>(
    `select m.user_id, m.role, m.source, m.created_at, u.name, u.forge_login, u.picture, u.email,
            (extract(epoch from m.created_at) * 1000000)::bigint as at_micros
     from memberships m join users u on u.user_id = m.user_id
     where m.integration_id = $1
       and ($2::bigint is null
         or (m.created_at, m.user_id) > ('epoch'::timestamptz + $2 * interval '1 microsecond', $3::uuid))
     order by m.created_at, m.user_id limit $4`,
    [integrationId, after?.at ?? null, after?.id ?? null, limit],
  );
  return rows;
}

/** Counts the integrations of an owner. No other transaction can add one until this one ends. */
export async function lockAndCountOwned(tx: Tx, userId: string): Promise<number> {
  const { rows } = await tx.query<{ owned: number }>('select hold_owned_integrations($1) as owned', [userId]);
  return rows[0]?.owned ?? 0;
}
