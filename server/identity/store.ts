import type { Role } from '#contract/roles.ts';
import type { Tx } from '#platform/database/database.ts';

export interface UserRow {
  user_id: string;
  cognito_id: string;
  email: string | null;
  name: string | null;
  picture: string | null;
  forge_login: string | null;
}

/** Makes the user when they are not there yet; what is stored about them stays as it is. */
export async function ensureUser(tx: Tx, user: { cognitoId: string; name: string }): Promise<UserRow> {
  await tx.query('insert into users (cognito_id, name) values ($1, $2) on conflict (cognito_id) do nothing', [
    user.cognitoId,
    user.name,
  ]);
  const { rows } = await tx.query<UserRow>('select * from users where cognito_id = $1', [user.cognitoId]);
  const row = rows[0];
  if (row === undefined) throw new Error('the user just made cannot be read');
  return row;
}

export async function findUser(tx: Tx, userId: string): Promise<UserRow | undefined> {
  const { rows } = await tx.query<UserRow>('select * from users where user_id = $1', [userId]);
  return rows[0];
}

export async function findUserByForgeLogin(tx: Tx, login: string): Promise<UserRow | undefined> {
  const { rows } = await tx.query<UserRow>('select * from users where lower(forge_login) = lower($1)', [
    login,
  ]);
  return rows[0];
}

/** The user's memberships with the integrations' names; needs the integrations in scope. */
export async function listMemberships(
  tx: Tx,
  integrationIds: string[],
  userId: string,
): Promise<{ integration_id: string; label: string; role: Role }[]> {
  const { rows } = await tx.query<{ integration_id: string; label: string; role: Role }>(
    `select m.integration_id, i.label, m.role
     from memberships m join integrations i on i.integration_id = m.integration_id
     where m.integration_id = any ($1) and m.user_id = $2 order by i.created_at, i.integration_id`,
    [integrationIds, userId],
  );
  return rows;
}
