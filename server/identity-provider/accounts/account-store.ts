import type { Database } from '#platform/database/database.ts';

export interface AccountRow {
  subject: string;
  source: 'demo' | 'forge';
  username: string;
  name: string | null;
  nickname: string | null;
  email: string | null;
  is_email_verified: boolean;
  picture: string | null;
  forge_id: string | null;
}

/** Creates or updates the account. */
export async function upsertAccount(db: Database, account: AccountRow): Promise<void> {
  await db.statement({
    name: 'provider-account-upsert',
    text: `insert into provider_account
             (subject, source, username, name, nickname, email, is_email_verified, picture, forge_id)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (subject) do update set
             source = excluded.source, username = excluded.username, name = excluded.name,
             nickname = excluded.nickname, email = excluded.email,
             is_email_verified = excluded.is_email_verified, picture = excluded.picture,
             forge_id = excluded.forge_id, updated_at = now()`,
    values: [
      account.subject,
      account.source,
      account.username,
      account.name,
      account.nickname,
      account.email,
      account.is_email_verified,
      account.picture,
      account.forge_id,
    ],
  });
}

export async function findAccount(db: Database, subject: string): Promise<AccountRow | undefined> {
  const { rows } = await db.statement<AccountRow>({
    name: 'provider-account-find',
    text: `select subject, source, username, name, nickname, email, is_email_verified, picture, forge_id
           from provider_account where subject = $1`,
    values: [subject],
  });
  return rows[0];
}
