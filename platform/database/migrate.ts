import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { deriveKey } from '../runtime/keys.ts';
import { idleTransactionMs, silenceMs, statementTimeoutMs } from './time-limits.ts';

export const serviceRoles = ['forgewatch_api', 'forgewatch_worker'] as const;
export type ServiceRole = (typeof serviceRoles)[number];

const migrationsTable = 'schema_migrations';
const directory = path.join(import.meta.dirname, '../../migrations');

/** Any constant: concurrent starts wait for each other on it. */
const lockId = 4_821_001;

/** Class of the states that say that a role may not log in, or not with this password. */
const invalidAuthorization = '28';

/** The database does not answer, or does not let the owner in; the message says why. */
export class DatabaseUnreachable extends Error {}

/** The master key that the password of each role is derived from. */
export type RoleKeys = Record<ServiceRole, Buffer>;

/**
 * Brings the database up to date and sees to it that the restricted roles can log in. Processes that start together wait
 * for each other. Returns the names of the migrations that were applied, and what to log in with.
 */
export async function migrate(
  ownerUrl: string,
  masterKeys: readonly [Buffer, ...Buffer[]],
): Promise<{ applied: string[]; roleKeys: RoleKeys }> {
  const client = await connectAsOwner(ownerUrl);
  try {
    await client.query('select pg_advisory_lock($1)', [lockId]);
    const applied = (await isUpToDate(client)) ? [] : await applyNew(client);
    const findKey = (role: ServiceRole) => findRoleKey(client, ownerUrl, role, masterKeys);
    const [api, worker] = await Promise.all([findKey('forgewatch_api'), findKey('forgewatch_worker')]);
    return { applied, roleKeys: { forgewatch_api: api, forgewatch_worker: worker } };
  } finally {
    await client.end();
  }
}

/** Whether what was applied is what this version has. Most starts find it so, and load no tool for migrations. */
async function isUpToDate(client: pg.Client): Promise<boolean> {
  const found = await client.query<{ isThere: boolean }>(
    `select to_regclass('public.${migrationsTable}') is not null as "isThere"`,
  );
  if (found.rows[0]?.isThere !== true) return false;
  const { rows } = await client.query<{ name: string }>(
    `select name from public.${migrationsTable} order by run_on, id`,
  );
  const files = (await readdir(directory)).toSorted();
  return rows.map(({ name }) => `${name}.sql`).join() === files.join();
}

/** @throws when one that was applied already comes after one that was not. */
async function applyNew(client: pg.Client): Promise<string[]> {
  const { runner } = await import('node-pg-migrate');
  const applied = await runner({
    dbClient: client,
    dir: directory,
    direction: 'up',
    migrationsTable,
    checkOrder: true,
    noLock: true,
    log: () => {},
  });
  return applied.map(({ name }) => name);
}

async function connectAsOwner(ownerUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: ownerUrl });
  try {
    await client.connect();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    // A name with several addresses fails with an error for each, and no message of its own.
    throw new DatabaseUnreachable(message || code, { cause: error });
  }
  return client;
}

/** How to reach the owner's database as a restricted role; `timeoutMs` bounds each statement. */
export function roleConnection(
  ownerUrl: string,
  role: ServiceRole,
  masterKey: Buffer,
  timeoutMs = statementTimeoutMs,
): pg.ClientConfig {
  const url = new URL(ownerUrl);
  // In the query, where they count before what stands in the authority, and where a URL without a host can name the owner.
  url.searchParams.set('user', role);
  url.searchParams.set('password', rolePassword(role, masterKey));
  // The worker's statements find rows by key: a plan made once serves every call, and must not be a scan because the
  // table was small on that day.
  const options =
    role === 'forgewatch_worker' ? '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off' : undefined;
  return {
    connectionString: url.href,
    application_name: role,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
    query_timeout: timeoutMs + silenceMs,
    ...(options === undefined ? {} : { options }),
  };
}

/** Derived, not stored: every process of a deployment can log in, and nothing has to be handed round. */
function rolePassword(role: ServiceRole, masterKey: Buffer): string {
  return deriveKey(masterKey, `database-role/${role}`).toString('base64url');
}

/**
 * The first key whose password works. While a key is replaced, other processes log in with the old one still: the password
 * is changed only when none of ours works.
 */
async function findRoleKey(
  owner: pg.Client,
  ownerUrl: string,
  role: ServiceRole,
  masterKeys: readonly [Buffer, ...Buffer[]],
): Promise<Buffer> {
  for (const key of masterKeys) if (await letsIn(roleConnection(ownerUrl, role, key))) return key;
  const [key] = masterKeys;
  await owner.query(`alter role ${role} login password ${owner.escapeLiteral(rolePassword(role, key))}`);
  return key;
}

/** @throws when the server refuses for another reason than who asks. */
async function letsIn(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(connection);
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith(invalidAuthorization)) return false;
    throw error;
  } finally {
    await client.end();
  }
}
