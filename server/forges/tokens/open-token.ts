import type { Database } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { AccessToken } from './token-forge.ts';
import { findToken } from '#server/forges/store.ts';

/** Binds a sealed token to its integration. */
export function tokenContext(integrationId: string): string {
  return `forge_connections/${integrationId}/token`;
}

/** The stored access token in plain text, only for calls to its forge. */
export async function openToken(
  { db, sealer }: { db: Database; sealer: Sealer },
  integrationId: string,
): Promise<AccessToken | undefined> {
  const row = await db.withScope({ integrationId }, (tx) => findToken(tx, integrationId));
  if (row === undefined) return undefined;
  const token = sealer.open(row.sealed_token, tokenContext(integrationId)).toString();
  return { forge: row.forge, url: row.url, token };
}
