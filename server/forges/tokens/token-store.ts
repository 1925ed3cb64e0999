import type { Tx } from '#platform/database/database.ts';

export interface TokenRow {
  forge: 'github' | 'gitea' | 'forgejo';
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
