import type {
  PersonalNotifications,
  PersonalNotificationsBody,
} from '#contract/members/personal-notifications.ts';
import type { Database } from '#platform/database/database.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import { findSettings, saveSettings, type SettingsRow } from './settings-store.ts';

/** The signed-in person with their address at the identity provider. */
export interface Subscriber {
  userId: string;
  email: string | null;
  isEmailVerified: boolean;
}

export async function readSettings(db: Database, userId: string): Promise<PersonalNotifications> {
  const own = await integrationIdsOf(db, userId);
  return settingsOf(await db.withScope({ userId }, (tx) => findSettings(tx, userId)), own);
}

/**
 * Mails go to the address that the identity provider has verified, and to no other one.
 * @throws AppError `invalid_request` without such an address, or for an integration that the person does not belong to
 */
export async function changeSettings(
  db: Database,
  { userId, email, isEmailVerified }: Subscriber,
  { enabled, integrationIds }: PersonalNotificationsBody,
): Promise<PersonalNotifications> {
  const own = await integrationIdsOf(db, userId);
  if (integrationIds?.some((id) => !own.includes(id)))
    throw invalidField('integrationIds', 'must be integrations that you belong to');
  if (enabled && (email === null || !isEmailVerified))
    throw invalidField('enabled', 'needs an e-mail address that your identity provider has verified');
  return db.withScope({ userId }, async (tx) => {
    const before = await findSettings(tx, userId);
    const address = enabled ? email : before?.email;
    if (address === undefined || address === null) return settingsOf(undefined, own);
    const row = { enabled, integration_ids: integrationIds, email: address };
    await saveSettings(tx, userId, row);
    return settingsOf(row, own);
  });
}

/** Integrations that the person has left are not shown. */
function settingsOf(row: SettingsRow | undefined, own: readonly string[]): PersonalNotifications {
  if (row === undefined) return { enabled: false, integrationIds: null, email: null };
  return {
    enabled: row.enabled,
    integrationIds: row.integration_ids?.filter((id) => own.includes(id)) ?? null,
    email: row.enabled ? row.email : null,
  };
}
