import type { Role } from '#contract/members/roles.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import type { PersonKey } from './tokens/claims.ts';

export interface UserRow {
  user_id: string;
  cognito_id: string;
  email: string | null;
  name: string | null;
  picture: string | null;
  forge_login: string | null;
}

/** Creates the user if there is none with this key. Never changes a stored user. */
export async function findOrCreateUser(tx: Tx, user: PersonKey & { name: string }): Promise<UserRow> {
  const key = [user.cognitoIdClaim, user.cognitoId];
  await tx.query(
    `insert into users (cognito_id_claim, cognito_id, name) values ($1, $2, $3)
     on conflict (cognito_id_claim, cognito_id) do nothing`,
    [...key, user.name],
  );
  const { rows } = await tx.query<UserRow>(
    'select * from users where cognito_id_claim = $1 and cognito_id = $2',
    key,
  );
  const row = rows[0];
  if (row === undefined) throw new Error('the user was not found after it was created');
  return row;
}

export interface SignedInUser extends PersonKey {
  email: string | undefined;
  name: string | undefined;
  picture: string | undefined;
  forgeLogin: string | undefined;
  /** Digits. */
  forgeId: string | undefined;
  /** When the claims were issued, in seconds since the epoch. */
  claimsIssuedAt: number;
}

/**
 * Creates or updates the user. Unchanged and older claims write nothing; missing claims keep the stored value. @throws UniqueViolation of `users_forge_id_key` when the forge id is another user's
 */
export async function upsertUser(db: Database, user: SignedInUser): Promise<string> {
  const { rows } = await db.statement<{ user_id: string }>({
    name: 'user-upsert',
    text: `with known as (
             select user_id, email, name, picture, forge_login, forge_id from users
             where cognito_id = $1 and cognito_id_claim = $8
           ), written as (
             insert into users as u (cognito_id, email, name, picture, forge_login, forge_id, claims_iat, cognito_id_claim)
             select $1, $2, $3, $4, $5, $6::bigint, $7::bigint, $8 where not exists (
               select from known where (email, name, picture, forge_login, forge_id) is not distinct from
                 (coalesce($2, email), coalesce($3, name), coalesce($4, picture), coalesce($5, forge_login),
                  coalesce($6::bigint, forge_id)))
             on conflict (cognito_id_claim, cognito_id) do update set
               email = coalesce(excluded.email, u.email), name = coalesce(excluded.name, u.name),
               picture = coalesce(excluded.picture, u.picture),
               forge_login = coalesce(excluded.forge_login, u.forge_login),
               forge_id = coalesce(excluded.forge_id, u.forge_id), claims_iat = excluded.claims_iat
             where excluded.claims_iat >= u.claims_iat
             returning user_id
           )
           select user_id from written union all select user_id from known limit 1`,
    values: [
      user.cognitoId,
      user.email ?? null,
      user.name ?? null,
      user.picture ?? null,
      user.forgeLogin ?? null,
      user.forgeId ?? null,
      user.claimsIssuedAt,
      user.cognitoIdClaim,
    ],
  });
  const userId = rows[0]?.user_id;
  if (userId === undefined) throw new Error('the user was not found after it was created');
  return userId;
}

export function findUserIdByKey(tx: Tx, key: PersonKey): Promise<string | undefined> {
  return tx.value<string>('select user_id from users where cognito_id_claim = $1 and cognito_id = $2', [
    key.cognitoIdClaim,
    key.cognitoId,
  ]);
}

export function findUser(tx: Tx, userId: string): Promise<UserRow | undefined> {
  return tx.row<UserRow>('select * from users where user_id = $1', [userId]);
}

/** Logins can be reassigned, so the user with the newest claims is returned. */
export function findUserByForgeLogin(tx: Tx, login: string): Promise<UserRow | undefined> {
  return tx.row<UserRow>(
    'select * from users where lower(forge_login) = lower($1) order by claims_iat desc limit 1',
    [login],
  );
}

/** The user's memberships with the integrations' names; needs the integrations in scope. */
export function listMemberships(
  tx: Tx,
  integrationIds: string[],
  userId: string,
): Promise<{ integration_id: string; label: string; role: Role }[]> {
  return tx.rows<{ integration_id: string; label: string; role: Role }>(
    `select m.integration_id, i.label, m.role
     from memberships m join integrations i on i.integration_id = m.integration_id
     where m.integration_id = any ($1) and m.user_id = $2 order by i.created_at, i.integration_id`,
    [integrationIds, userId],
  );
}
