import type { Tx } from '#platform/database/database.ts';
import type { ForgeConnectionState, ForgeKind } from '#contract/integrations/forge-connection.ts';

export interface ConnectionRow {
  forge: ForgeKind;
  url: string;
  account_login: string;
  permissions: string[];
  expires_at: Date | null;
  saved_at: Date;
}

export function findConnection(tx: Tx, integrationId: string): Promise<ConnectionRow | undefined> {
  return tx.row<ConnectionRow>(
    `select forge, url, account_login, permissions, expires_at, saved_at from forge_connections
     where integration_id = $1 and not is_removed`,
    [integrationId],
  );
}

export type ChosenRepository = NonNullable<ForgeConnectionState['connection']>['repositories'][number];

export function listChosen(tx: Tx, integrationId: string): Promise<ChosenRepository[]> {
  return tx.rows<ChosenRepository>(
    `select repository as name, webhook_applied is not null and webhook_error is null as "hasWebhook", webhook_error as error
     from linked_repositories where integration_id = $1 and installation_id is null and is_chosen order by repository`,
    [integrationId],
  );
}

/** Returns the former address, also of a removed connection. The limits of the former token do not apply to the new one. */
export async function upsertConnection(
  tx: Tx,
  integrationId: string,
  saved: {
    forge: ForgeKind;
    url: string;
    sealedToken: Buffer;
    account: string;
    permissions: readonly string[];
    expiresAt: Date | undefined;
  },
): Promise<{ forge: ForgeKind; url: string } | undefined> {
  const { rows } = await tx.query<{ forge: ForgeKind; url: string }>(
    'select forge, url from forge_connections where integration_id = $1 for update',
    [integrationId],
  );
  await tx.query(
    `insert into forge_connections (integration_id, forge, url, sealed_token, account_login, permissions, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (integration_id) do update set forge = $2, url = $3, sealed_token = $4, account_login = $5,
       permissions = $6, expires_at = $7, saved_at = now(), is_removed = false`,
    [
      integrationId,
      saved.forge,
      saved.url,
      saved.sealedToken,
      saved.account,
      saved.permissions,
      saved.expiresAt ?? null,
    ],
  );
  await tx.query('delete from forge_budgets where connection = $1', [`token:${integrationId}`]);
  return rows[0];
}

/** Their webhooks are at another forge, which the new token cannot reach. */
export async function forgetRepositories(tx: Tx, integrationId: string): Promise<void> {
  await tx.query('delete from linked_repositories where integration_id = $1 and installation_id is null', [
    integrationId,
  ]);
}

/** Returns whose token it was; undefined when there was none. */
export function markRemoved(tx: Tx, integrationId: string): Promise<string | undefined> {
  return tx.value<string>(
    `update forge_connections set is_removed = true where integration_id = $1 and not is_removed returning account_login`,
    [integrationId],
  );
}

/** Repositories that are no longer chosen keep their rows until their webhooks are removed. */
export async function replaceChosen(
  tx: Tx,
  integrationId: string,
  chosen: readonly { name: string; defaultBranch: string | null }[],
): Promise<void> {
  const names = chosen.map(({ name }) => name);
  await tx.query(
    `update linked_repositories set is_chosen = false
     where integration_id = $1 and installation_id is null and repository <> all ($2::text[])`,
    [integrationId, names],
  );
  await tx.query(
    `insert into linked_repositories (integration_id, installation_id, repository, default_branch)
     select $1, null, name, branch from unnest($2::text[], $3::text[]) as chosen (name, branch)
     on conflict (integration_id, installation_id, repository)
       do update set default_branch = excluded.default_branch, is_chosen = true`,
    [integrationId, names, chosen.map(({ defaultBranch }) => defaultBranch)],
  );
}
