import type { PagePosition } from '#platform/http/page-cursor.ts';
import type { MemberSource } from '#contract/members/members.ts';
import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';

export function findRole(tx: Tx, integrationId: string, userId: string): Promise<Role | undefined> {
  return tx.value<Role>({
    name: 'find-role',
    text: 'select role from actors where integration_id = $1 and actor_id = $2',
    values: [integrationId, userId],
  });
}

export function listIntegrationIdsOfUser(tx: Tx, userId: string): Promise<string[]> {
  return tx.column<string>({
    name: 'list-integration-ids-of-user',
    text: 'select integration_id from actors where actor_id = $1 order by integration_id',
    values: [userId],
  });
}

export interface LockedMember {
  user_id: string;
  role: Role;
  name: string | null;
}

/** Reads and locks the role of a member or of an API token of the integration until the transaction ends. */
export function selectMemberForShare(
  tx: Tx,
  integrationId: string,
  userId: string,
): Promise<LockedMember | undefined> {
  return tx.row<LockedMember>(
    `with member as (
       select m.user_id, m.role, coalesce(u.name, u.forge_login) as name
       from memberships m join users u on u.user_id = m.user_id
       where m.integration_id = $1 and m.user_id = $2 for share of m
     ), token as (
       select token_id, role, name from integration_tokens
       where integration_id = $1 and token_id = $2 and expires_at > now() for share
     ) select * from member union all select * from token`,
    [integrationId, userId],
  );
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

/** Time of the removal of a former member. */
export function findLeftAt(tx: Tx, integrationId: string, userId: string): Promise<Date | undefined> {
  return tx.value<Date>('select left_at from former_members where integration_id = $1 and user_id = $2', [
    integrationId,
    userId,
  ]);
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
export function listMembers(
  tx: Tx,
  integrationId: string,
  after: PagePosition | undefined,
  limit: number,
): Promise<MemberRow[]> {
  return tx.rows<MemberRow>(
    `select m.user_id, m.role, m.source, m.created_at, u.name, u.forge_login, u.picture, u.email,
            (extract(epoch from m.created_at) * 1000000)::bigint as at_micros
     from memberships m join users u on u.user_id = m.user_id
     where m.integration_id = $1
       and ($2::bigint is null
         or (m.created_at, m.user_id) > ('epoch'::timestamptz + $2 * interval '1 microsecond', $3::uuid))
     order by m.created_at, m.user_id limit $4`,
    [integrationId, after?.at ?? null, after?.id ?? null, limit],
  );
}

/**
 * Counts the integrations of an owner. Others who create one for the same person, or transfer one to them, wait until the
 * transaction ends. Row-level security shows the memberships of a person only in their own scope.
 */
export async function lockAndCountOwned(tx: Tx, userId: string): Promise<number> {
  const setUser = (id: string) => tx.query(`select set_config('app.user_id', $1, true)`, [id]);
  const [, , { rows }] = await Promise.all([
    tx.query(`select pg_advisory_xact_lock(hashtextextended('owned integrations ' || $1, 0))`, [userId]),
    setUser(userId),
    tx.query<{ owned: number }>(
      `select count(*)::int as owned from memberships where user_id = $1 and role = 'owner'`,
      [userId],
    ),
    setUser(''),
  ]);
  return rows[0]?.owned ?? 0;
}

export function findOwnerId(tx: Tx, integrationId: string): Promise<string | undefined> {
  return tx.value<string>("select user_id from memberships where integration_id = $1 and role = 'owner'", [
    integrationId,
  ]);
}
