import type { Tx } from '#platform/database/database.ts';

export interface RecipientTeam {
  label: string;
  owner_id: string | null;
  /** The addresses that belong to members, in lower case. */
  member_emails: string[];
}

export function findRecipientTeam(
  tx: Tx,
  integrationId: string,
  emails: readonly string[],
): Promise<RecipientTeam | undefined> {
  return tx.row<RecipientTeam>(
    `select label,
       (select user_id from memberships where integration_id = $1 and role = 'owner') as owner_id,
       array(
       select lower(u.email) from memberships m join users u on u.user_id = m.user_id
       where m.integration_id = $1 and lower(u.email) = any ($2)) as member_emails
     from integrations where integration_id = $1`,
    [integrationId, emails.map((email) => email.toLowerCase())],
  );
}
