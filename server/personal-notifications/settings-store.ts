import type { Tx } from '#platform/database/database.ts';

export interface SettingsRow {
  enabled: boolean;
  integration_ids: string[] | null;
  email: string;
}

export function findSettings(tx: Tx, userId: string): Promise<SettingsRow | undefined> {
  return tx.row<SettingsRow>(
    'select enabled, integration_ids, email from personal_notifications where user_id = $1',
    [userId],
  );
}

export async function saveSettings(tx: Tx, userId: string, row: SettingsRow): Promise<void> {
  await tx.query(
    `insert into personal_notifications (user_id, enabled, integration_ids, email) values ($1, $2, $3, $4)
     on conflict (user_id) do update set enabled = excluded.enabled, integration_ids = excluded.integration_ids,
       email = excluded.email`,
    [userId, row.enabled, row.integration_ids, row.email],
  );
}

export async function disable(tx: Tx, userId: string): Promise<void> {
  await tx.query('update personal_notifications set enabled = false where user_id = $1', [userId]);
}
