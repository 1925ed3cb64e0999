import type { IntegrationTokenRole, TokenScope } from '#contract/members/api-tokens.ts';
import type { Tx } from '#platform/database/database.ts';

/** A valid token as `authenticate` needs it. */
export interface FoundToken {
  tokenId: string;
  name: string;
  /** Null for a token of an integration. */
  userId: string | null;
  /** Null for a personal token of all integrations. */
  integrationIds: string[] | null;
  scopes: TokenScope[];
  expiresAt: Date;
  lastUsedAt: Date | null;
}

/** Finds the token with the hash in scope. Undefined when it is unknown, revoked or expired. */
export function findToken(tx: Tx, hash: string): Promise<FoundToken | undefined> {
  return tx.row<FoundToken>({
    name: 'find-api-token',
    text: `select token_id as "tokenId", name, user_id as "userId", integration_ids as "integrationIds",
             scopes, expires_at as "expiresAt", last_used_at as "lastUsedAt"
           from personal_tokens where token_hash = decode($1, 'hex') and expires_at > now()
           union all
           select token_id, name, null, array[integration_id], scopes, expires_at, last_used_at
           from integration_tokens where token_hash = decode($1, 'hex') and expires_at > now()`,
    values: [hash],
  });
}

/** Writes the last use unless another request wrote one in the last minute. */
export async function saveUse(
  tx: Tx,
  table: 'personal_tokens' | 'integration_tokens',
  tokenId: string,
  address: string,
): Promise<void> {
  await tx.query(
    `update ${table} set last_used_at = now(), last_used_address = $2
     where token_id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [tokenId, address],
  );
}

/**
 * Closes the sockets that were opened with the token, and refuses its socket tokens, which are valid for a minute. A socket
 * lives for an hour at most.
 */
export async function endSockets(tx: Tx, tokenId: string): Promise<void> {
  await tx.query(
    `insert into signed_out (entry, session_id, expires_at)
     values ('session:' || $1, $1, now() + interval '2 hours') on conflict do nothing`,
    [sessionIdOf(tokenId)],
  );
}

/** The session that a token counts as. */
export function sessionIdOf(tokenId: string): string {
  return `token:${tokenId}`;
}

/** Serializes the creation of tokens of one owner, so that none exceeds the limit. Not awaited: the next statement waits. */
export function lockOwner(tx: Tx, ownerId: string): void {
  void tx.query(`select pg_advisory_xact_lock(hashtextextended('api tokens ' || $1, 0))`, [ownerId]);
}

interface NewToken {
  hash: string;
  name: string;
  scopes: readonly TokenScope[];
  expiresAt: Date;
}

export interface PersonalTokenRow {
  tokenId: string;
  name: string;
  scopes: TokenScope[];
  integrationIds: string[] | null;
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
  lastUsedAddress: string | null;
}

const shared = `token_id as "tokenId", t.name, t.scopes, t.created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", last_used_address as "lastUsedAddress"`;

/** Oldest first. In the scope of the person. */
export function listPersonalTokens(tx: Tx, userId: string): Promise<PersonalTokenRow[]> {
  return tx.rows<PersonalTokenRow>(
    `select ${shared}, integration_ids as "integrationIds"
     from personal_tokens t where user_id = $1 order by t.created_at, token_id`,
    [userId],
  );
}

export async function insertPersonalToken(
  tx: Tx,
  userId: string,
  token: NewToken & { integrationIds: readonly string[] | null },
): Promise<PersonalTokenRow> {
  const { rows } = await tx.query<PersonalTokenRow>(
    `insert into personal_tokens as t (user_id, token_hash, name, scopes, integration_ids, expires_at)
     values ($1, decode($2, 'hex'), $3, $4, $5, $6)
     returning ${shared}, integration_ids as "integrationIds"`,
    [userId, token.hash, token.name, token.scopes, token.integrationIds, token.expiresAt],
  );
  return rows[0]!;
}

/** False when the person has no such token. */
export function deletePersonalToken(tx: Tx, userId: string, tokenId: string): Promise<boolean> {
  return tx.some('delete from personal_tokens where user_id = $1 and token_id = $2', [userId, tokenId]);
}

/** Returns their ids. */
export function deletePersonalTokens(tx: Tx, userId: string): Promise<string[]> {
  return tx.column<string>('delete from personal_tokens where user_id = $1 returning token_id', [userId]);
}

export interface IntegrationTokenRow extends Omit<PersonalTokenRow, 'integrationIds'> {
  role: IntegrationTokenRole;
  createdBy: string | null;
  creatorName: string | null;
}

/** Oldest first. */
export function listIntegrationTokens(tx: Tx, integrationId: string): Promise<IntegrationTokenRow[]> {
  return tx.rows<IntegrationTokenRow>(
    `select ${shared}, t.role, created_by as "createdBy", coalesce(u.name, u.forge_login) as "creatorName"
     from integration_tokens t left join users u on u.user_id = t.created_by
     where integration_id = $1 order by t.created_at, token_id`,
    [integrationId],
  );
}

/** Returns the id of the new token. */
export async function insertIntegrationToken(
  tx: Tx,
  integrationId: string,
  token: NewToken & { role: IntegrationTokenRole; createdBy: string | null },
): Promise<string> {
  const { rows } = await tx.query<{ token_id: string }>(
    `insert into integration_tokens (integration_id, token_hash, name, role, created_by, expires_at, scopes)
     values ($1, decode($2, 'hex'), $3, $4, $5, $6, $7) returning token_id`,
    [integrationId, token.hash, token.name, token.role, token.createdBy, token.expiresAt, token.scopes],
  );
  return rows[0]!.token_id;
}

/** Returns the name of the deleted token; undefined when the integration has no such token. */
export function deleteIntegrationToken(
  tx: Tx,
  integrationId: string,
  tokenId: string,
): Promise<string | undefined> {
  return tx.value<string>(
    'delete from integration_tokens where integration_id = $1 and token_id = $2 returning name',
    [integrationId, tokenId],
  );
}
