import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { deriveKey } from '../runtime/secrets/keys.ts';
import type { LocalSettings } from './scope.ts';
import { connectTimeoutMs, idleTransactionMs, silenceMs, statementTimeoutMs } from './time-limits.ts';

export const serviceRoles = ['forgewatch_api', 'forgewatch_worker'] as const;
export type ServiceRole = (typeof serviceRoles)[number];

const migrationsTable = 'schema_migrations';
export const migrationsDirectory = path.join(import.meta.dirname, '../../migrations');

/** Advisory lock that serializes concurrent starts. Any constant will do. */
export const startLock = 4_821_001;

/** SQLSTATE class of a refused login. */
const invalidAuthorization = '28';

/**
 * A setting that the owner's session must keep. In transaction mode a pooler refuses or drops it, and its lock would stay
 * with another session.
 */
const sessionMark = 'forgewatch.session';

/** SQLSTATE with which connection poolers refuse the settings of a session. */
const protocolViolation = '08P01';

/** Advice by SQLSTATE, where the message of Postgres does not give any. */
const adviceByState: Record<string, string> = {
  // Insufficient privilege.
  '42501': 'Its role must own the database, and have CREATEROLE',
  [protocolViolation]:
    'Behind a connection pooler, set DATABASE_DIRECT_URL to the address of Postgres itself',
  // Undefined object.
  '42704': `A dump contains no roles: create ${serviceRoles.join(', ')} and forgewatch_backup (create role … nologin), then restore again`,
};

/** The database is not available, or the owner role lacks rights. The message gives the reason. */
export class DatabaseUnusable extends Error {}

/** Other processes use this database with another key. Changing the passwords would lock them out. */
export class OtherKeyInUse extends Error {}

/** The master key that the password of each role is derived from. */
export type RoleKeys = Record<ServiceRole, Buffer>;

/**
 * Applies new migrations and ensures that the restricted roles can log in. Concurrent starts wait for each other. Returns
 * the applied migrations and the keys for the logins.
 */
export async function migrate(
  ownerUrl: string,
  masterKeys: readonly [Buffer, ...Buffer[]],
): Promise<{ applied: string[]; roleKeys: RoleKeys }> {
  const client = await connectAsOwner(ownerUrl);
  try {
    await client.query('select pg_advisory_lock($1)', [startLock]);
    const applied = (await isUpToDate(client)) ? [] : await applyNew(client);
    return { applied, roleKeys: await findRoleKeys(client, ownerUrl, masterKeys) };
  } catch (error) {
    throw withAdvice(error);
  } finally {
    await client.end();
  }
}

export function withAdvice(error: unknown): unknown {
  const { code, message } = error as Error & { code?: string };
  const next = adviceByState[code ?? ''];
  return next === undefined ? error : new DatabaseUnusable(`${message}. ${next}`, { cause: error });
}

/**
 * Whether all migrations of this version are applied. Then the migration library is not loaded.
 * @throws when a newer version migrated the database, because this version does not know its schema.
 */
async function isUpToDate(client: pg.Client): Promise<boolean> {
  const applied = (await listApplied(client)).map((name) => `${name}.sql`);
  if (applied.length === 0) return false;
  const files = (await readdir(migrationsDirectory)).toSorted();
  const newer = applied.filter((file) => !files.includes(file));
  if (newer.length > 0)
    throw new Error(
      `A newer version has migrated this database (${newer.join(', ')}): start that version, or restore the backup from before the upgrade.`,
    );
  return applied.join() === files.join();
}

/** The names of the applied migrations in their order. Empty when there is no schema. */
export async function listApplied(client: pg.Client): Promise<string[]> {
  const found = await client.query<{ isThere: boolean }>(
    `select to_regclass('public.${migrationsTable}') is not null as "isThere"`,
  );
  if (found.rows[0]?.isThere !== true) return [];
  const { rows } = await client.query<{ name: string }>(
    `select name from public.${migrationsTable} order by run_on, id`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Applies the next `count` migrations, by default all.
 * @throws when a new migration precedes an applied one
 */
export async function applyNew(client: pg.Client, count = Infinity): Promise<string[]> {
  const { runner } = await import('node-pg-migrate');
  const applied = await runner({
    dbClient: client,
    dir: migrationsDirectory,
    direction: 'up',
    migrationsTable,
    count,
    checkOrder: true,
    noLock: true,
    log: () => {},
  });
  return applied.map(({ name }) => name);
}

export async function connectAsOwner(ownerUrl: string): Promise<pg.Client> {
  const connectionString = withSettings(ownerUrl, { [sessionMark]: 'kept' });
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectTimeoutMs });
  // A broken connection fails its statement. Without a listener the event would also end the process.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    // For a host with several addresses the error is an AggregateError with an empty message.
    const unusable = new DatabaseUnusable(message || code, { cause: error });
    throw code === protocolViolation ? withAdvice(error) : unusable;
  }
  const { rowCount } = await client.query(`select where current_setting('${sessionMark}', true) = 'kept'`);
  if (rowCount === 1) return client;
  await client.end();
  throw new DatabaseUnusable(`it drops the settings of a session. ${adviceByState[protocolViolation]}`);
}

/** Connection of a restricted role to the owner's database. `timeoutMs` limits each statement. */
export function roleConnection(
  ownerUrl: string,
  role: ServiceRole,
  masterKey: Buffer,
  timeoutMs = statementTimeoutMs,
): pg.ClientConfig {
  const { connection, localSettings } = pooledConnection(ownerUrl, role, masterKey, timeoutMs);
  return { ...connection, connectionString: withSettings(connection.connectionString, localSettings) };
}

/** The URL with settings of the session. They are added to its own, because pg uses only the options of a URL that has some. */
function withSettings(connectionString: string, settings: LocalSettings): string {
  const url = new URL(connectionString);
  const added = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [...url.searchParams.getAll('options'), ...added].join(' '));
  return url.href;
}

/** Connection through a pooler that gives each transaction another session, and the settings that it needs in each. */
export function pooledConnection(
  poolerUrl: string,
  role: ServiceRole,
  masterKey: Buffer,
  timeoutMs = statementTimeoutMs,
): { connection: pg.ClientConfig & { connectionString: string }; localSettings: LocalSettings } {
  const url = new URL(poolerUrl);
  // Query parameters override user and password of the authority, also in a URL without a host.
  url.username = '';
  url.password = '';
  url.searchParams.set('user', role);
  url.searchParams.set('password', rolePassword(role, masterKey));
  return {
    connection: {
      connectionString: url.href,
      application_name: role,
      query_timeout: timeoutMs + silenceMs,
    },
    localSettings: {
      statement_timeout: String(timeoutMs),
      idle_in_transaction_session_timeout: String(idleTransactionMs),
      ...(role === 'forgewatch_worker' && workerPlans),
    },
  };
}

/**
 * The worker finds rows by key. A generic plan serves every call, and must not be a sequential scan because the table was
 * small when it was planned.
 */
const workerPlans: LocalSettings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' };

/** Derived from the key, so that each process can log in without a stored password. */
function rolePassword(role: ServiceRole, masterKey: Buffer): string {
  return deriveKey(masterKey, `database-role/${role}`).toString('base64url');
}

/**
 * Returns for each role the first key whose password works. During a key rotation other processes still use the old key,
 * so a password is changed only when no configured key works and nobody is logged in.
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
  for (const key of masterKeys) if (await canLogIn(roleConnection(ownerUrl, role, key))) return key;
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

/** @throws when the connection fails for another reason than the login. */
async function canLogIn(connection: pg.ClientConfig): Promise<boolean> {
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
