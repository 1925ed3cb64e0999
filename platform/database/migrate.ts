import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { deriveKey } from '../runtime/secrets/keys.ts';
import { connectTimeoutMs, idleTransactionMs, silenceMs, statementTimeoutMs } from './time-limits.ts';

export const serviceRoles = ['forgewatch_api', 'forgewatch_worker'] as const;
export type ServiceRole = (typeof serviceRoles)[number];

const migrationsTable = 'schema_migrations';
const directory = path.join(import.meta.dirname, '../../migrations');

/** Any constant: concurrent starts wait for each other on it. */
const lockId = 4_821_001;

/** Class of the states that say that a role may not log in, or not with this password. */
const invalidAuthorization = '28';

/** What to do, by state, where Postgres' own words do not tell. */
const nextSteps: Record<string, string> = {
  // Insufficient privilege.
  '42501': 'Its role must own the database, and have CREATEROLE',
  // Undefined object.
  '42704': `No dump holds roles: make ${serviceRoles.join(' and ')} (create role … nologin), then restore again`,
};

/** The database does not answer, or does not let the owner do what it must; the message says why. */
export class DatabaseUnusable extends Error {}

/** Processes run on this database with another key: to change the passwords would lock them out. */
export class OtherKeyInUse extends Error {}

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
    return { applied, roleKeys: await findRoleKeys(client, ownerUrl, masterKeys) };
  } catch (error) {
    throw withWhatToDo(error);
  } finally {
    await client.end();
  }
}

function withWhatToDo(error: unknown): unknown {
  const { code, message } = error as Error & { code?: string };
  const next = nextSteps[code ?? ''];
  return next === undefined ? error : new DatabaseUnusable(`${message}. ${next}`, { cause: error });
}

/**
 * Whether what was applied is what this version has. Most starts find it so, and load no tool for migrations.
 * @throws when a newer version was here: this one would not know what it must keep.
 */
async function isUpToDate(client: pg.Client): Promise<boolean> {
  const found = await client.query<{ isThere: boolean }>(
    `select to_regclass('public.${migrationsTable}') is not null as "isThere"`,
  );
  if (found.rows[0]?.isThere !== true) return false;
  const { rows } = await client.query<{ name: string }>(
    `select name from public.${migrationsTable} order by run_on, id`,
  );
  const applied = rows.map(({ name }) => `${name}.sql`);
  const files = (await readdir(directory)).toSorted();
  const newer = applied.filter((file) => !files.includes(file));
  if (newer.length > 0)
    throw new Error(
      `A newer version has migrated this database (${newer.join(', ')}): start that one, or restore the backup from before it.`,
    );
  return applied.join() === files.join();
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
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: connectTimeoutMs });
  // A connection that breaks fails the statement under way, which tells; the event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    // A name with several addresses fails with an error for each, and no message of its own.
    throw new DatabaseUnusable(message || code, { cause: error });
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
  url.username = '';
  url.password = '';
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
 * For each role the first key whose password works. While a key is replaced, other processes log in with the old one
 * still: a password is changed only when none of ours works and nobody is logged in.
 */
async function findRoleKeys(
  owner: pg.Client,
  ownerUrl: string,
  masterKeys: readonly [Buffer, ...Buffer[]],
): Promise<RoleKeys> {
  const found = await Promise.all(serviceRoles.map((role) => findWorkingKey(ownerUrl, role, masterKeys)));
  if (found.includes(undefined)) await refuseIfInUse(owner);
  const [key] = masterKeys;
  const keyOf = async (role: ServiceRole): Promise<Buffer> => {
    const working = found[serviceRoles.indexOf(role)];
    if (working !== undefined) return working;
    await owner.query(`alter role ${role} login password ${owner.escapeLiteral(rolePassword(role, key))}`);
    return key;
  };
  return {
    forgewatch_api: await keyOf('forgewatch_api'),
    forgewatch_worker: await keyOf('forgewatch_worker'),
  };
}

async function findWorkingKey(
  ownerUrl: string,
  role: ServiceRole,
  masterKeys: readonly Buffer[],
): Promise<Buffer | undefined> {
  for (const key of masterKeys) if (await letsIn(roleConnection(ownerUrl, role, key))) return key;
  return undefined;
}

/** @throws OtherKeyInUse when processes are logged in as either role. */
async function refuseIfInUse(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    'select usename as name from pg_stat_activity where usename = any ($1) limit 1',
    [serviceRoles],
  );
  if (rows[0] !== undefined) throw new OtherKeyInUse(`${rows[0].name} is logged in with another key`);
}

/** @throws when the server refuses for another reason than who asks. */
async function letsIn(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: connectTimeoutMs });
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
