import type { ForgeKind } from '#contract/integrations/forge-connection.ts';
import type { Tx } from '#platform/database/database.ts';
import { fullNameOf } from '#server/runs/names/stored-full-name.ts';

/**
 * The connection that sees the repository with this stored name and may be used: a linked installation, or null for the access token.
 * Undefined when there is none.
 */
export function findConnectionOf(
  tx: Tx,
  integrationId: string,
  repository: string,
): Promise<{ installationId: string | null; fullName: string } | undefined> {
  return tx.row<{ installationId: string | null; fullName: string }>(
    `select r.installation_id::text as "installationId", r.repository as "fullName" from linked_repositories r
       left join installation_links l on l.integration_id = r.integration_id and l.installation_id = r.installation_id
       left join forge_installations i on i.installation_id = l.installation_id
       left join forge_connections c on r.installation_id is null and c.integration_id = r.integration_id
     where r.integration_id = $1 and r.repository = ${fullNameOf('$1', '$2')} and r.is_chosen
       and ((not i.is_suspended and not i.is_deleted) or c.is_removed is false)
     order by l.linked_at limit 1`,
    [integrationId, repository],
  );
}

export interface TokenRow {
  forge: ForgeKind;
  url: string;
  sealed_token: Buffer;
}

/** The access token of the integration, also a removed one whose webhooks are still there. */
export function findToken(tx: Tx, integrationId: string): Promise<TokenRow | undefined> {
  return tx.row<TokenRow>(
    'select forge, url, sealed_token from forge_connections where integration_id = $1',
    [integrationId],
  );
}
