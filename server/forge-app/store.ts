import type { Tx } from '#platform/database/database.ts';
import type { Account } from './app-event.ts';

export interface InstallationRow {
  installation_id: string;
  account_login: string;
  account_type: string;
  is_suspended: boolean;
  linked_at: Date;
  members: number;
  sync_due_at: Date | null;
  sync_started_at: Date | null;
  sync_finished_at: Date | null;
  sync_error: string | null;
}

/** Inserts the installation if it is new, so that events about it can arrive in any order. */
export async function ensureInstallation(
  tx: Tx,
  installationId: string,
  account: Account,
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into forge_installations (installation_id, account_id, account_login, account_type, as_of)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [installationId, account.id, account.login, account.type, at],
  );
}

/** Changes nothing and returns false when newer facts are stored. */
export function updateInstallation(
  tx: Tx,
  installationId: string,
  change: { login: string; isSuspended?: boolean; isDeleted?: boolean; at: Date },
): Promise<boolean> {
  return tx.some(
    `update forge_installations set account_login = $2, is_suspended = coalesce($3, is_suspended),
       is_deleted = coalesce($4, is_deleted), as_of = $5
     where installation_id = $1 and as_of <= $5`,
    [installationId, change.login, change.isSuspended ?? null, change.isDeleted ?? null, change.at],
  );
}

/** Final, whatever was read since: the forge never reuses an id. */
export async function markUninstalled(tx: Tx, installationId: string, at: Date): Promise<void> {
  await tx.query(
    `update forge_installations set is_deleted = true, as_of = greatest(as_of, $2) where installation_id = $1`,
    [installationId, at],
  );
}

/** Makes the member sync due now, from the first page. */
export async function makeSyncDue(tx: Tx, installationId: string): Promise<void> {
  await tx.query(
    'update forge_installations set sync_due_at = now(), sync_next_page = null where installation_id = $1',
    [installationId],
  );
}

/** Changes nothing and returns `stale` when newer facts about the person are stored. `left` is the end of a known membership. */
export async function upsertOrganizationMember(
  tx: Tx,
  member: { installationId: string; forgeId: number; login: string; isMember: boolean; at: Date },
): Promise<'stale' | 'left' | 'stored'> {
  const { rows } = await tx.query<{ has_left: boolean | null }>(
    `with former as (select is_member from organization_members where installation_id = $1 and forge_id = $2),
     stored as (
       insert into organization_members as m (installation_id, forge_id, login, is_member, as_of)
       values ($1, $2, $3, $4, $5)
       on conflict (installation_id, forge_id) do update
         set login = excluded.login, is_member = excluded.is_member, as_of = excluded.as_of
         where m.as_of < excluded.as_of
       returning is_member)
     select former.is_member and not stored.is_member as has_left from stored left join former on true`,
    [member.installationId, member.forgeId, member.login, member.isMember, member.at],
  );
  if (rows[0] === undefined) return 'stale';
  return rows[0].has_left === true ? 'left' : 'stored';
}

/** Those in scope; all of them with the installation in scope. */
export function listLinkedIntegrations(tx: Tx, installationId: string): Promise<string[]> {
  return tx.column<string>(
    'select integration_id from installation_links where installation_id = $1 order by integration_id',
    [installationId],
  );
}

/** False when the link existed. */
export function insertLink(
  tx: Tx,
  integrationId: string,
  installationId: string,
  userId: string,
): Promise<boolean> {
  return tx.some(
    `insert into installation_links (integration_id, installation_id, linked_by) values ($1, $2, $3)
     on conflict do nothing`,
    [integrationId, installationId, userId],
  );
}

export async function countLinks(tx: Tx, integrationId: string): Promise<number> {
  const count = await tx.value<number>(
    'select count(*)::int as count from installation_links where integration_id = $1',
    [integrationId],
  );
  return count ?? 0;
}

/** Returns the account of the link; undefined when there was none. */
export function deleteLink(
  tx: Tx,
  integrationId: string,
  installationId: string,
): Promise<string | undefined> {
  return tx.value<string>(
    `delete from installation_links l using forge_installations i
     where l.integration_id = $1 and l.installation_id = $2 and i.installation_id = l.installation_id
     returning i.account_login`,
    [integrationId, installationId],
  );
}

export function listInstallations(tx: Tx, integrationId: string): Promise<InstallationRow[]> {
  return tx.rows<InstallationRow>(
    `select l.installation_id::text, i.account_login, i.account_type, i.is_suspended, l.linked_at, i.sync_due_at,
       i.sync_started_at, i.sync_finished_at, i.sync_error,
       (select count(*)::int from organization_members m
        where m.installation_id = l.installation_id and m.is_member) as members
     from installation_links l join forge_installations i on i.installation_id = l.installation_id
     where l.integration_id = $1 order by l.linked_at, l.installation_id`,
    [integrationId],
  );
}

/** The person's forge account, as asserted by the identity provider. */
export function findForgeIdentity(
  tx: Tx,
  userId: string,
): Promise<{ forge_id: string | null; forge_login: string | null } | undefined> {
  return tx.row<{ forge_id: string | null; forge_login: string | null }>(
    'select forge_id::text, forge_login from users where user_id = $1',
    [userId],
  );
}
