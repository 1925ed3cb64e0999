import { readdir } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import {
  roleConnection,
  rolePassword,
  serviceRoles,
  withSettings,
  type ServiceRole,
} from './roles/role-connection.ts';
import { connectTimeoutMs } from './time-limits.ts';

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
    dbClient: forAllVersions(client),
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

function forAllVersions(client: pg.Client): pg.Client {
  const runs = Object.create(client) as pg.Client;
  runs.query = ((sql: string, values?: unknown[]) =>
    client.query(withoutStorage(sql), values)) as pg.Client['query'];
  return runs;
}

/**
 * Postgres 15 does not know `storage` within `create table`, where a released migration has it. 0028_storage_of_passed sets it on
 * every version.
 */
export function withoutStorage(sql: string): string {
  return sql.replaceAll(/^( +\w+ +bytea) storage external,$/gm, '$1,');
}

/** `socket` is that of the connection, for a caller that may have to cut it. */
export async function connectAsOwner(ownerUrl: string, socket = new Socket()): Promise<pg.Client> {
  const connectionString = withSettings(ownerUrl, { [sessionMark]: 'kept' });
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: connectTimeoutMs,
    stream: () => socket,
  });
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
