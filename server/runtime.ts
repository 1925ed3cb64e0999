import type pg from 'pg';
import { openDatabase, type Database } from '#platform/database/database.ts';
import { openDatabaseServer } from '#platform/database/embedded/database-server.ts';
import { DatabaseUnusable, migrate, OtherKeyInUse, type RoleKeys } from '#platform/database/migrate.ts';
import {
  pooledConnection,
  roleConnection,
  serviceRoles,
  type ServiceRole,
} from '#platform/database/roles/role-connection.ts';
import { statementTimeoutMs } from '#platform/database/time-limits.ts';
import { ConfigError, type Config } from '#platform/runtime/settings/config.ts';
import { loadMasterKeys } from '#platform/runtime/files/data-dir.ts';
import type { Log } from '#platform/runtime/log.ts';
import { keyIdOf, makeSealer, type Sealer } from '#platform/runtime/secrets/sealing.ts';
import { processName } from './key-rotation/other-processes.ts';
import { findRunning } from './running.ts';

/** The shared parts that a process is made of: the database and the keys. */
export interface Runtime {
  masterKeys: readonly [Buffer, ...Buffer[]];
  sealer: Sealer;
  /** Connection string of the owner role, for sessions. */
  databaseUrl: string;
  /** Connection of a restricted role, for sessions. */
  connection(role: ServiceRole): pg.ClientConfig;
  open(role: ServiceRole): Database;
  /** Closes the pools, then the embedded Postgres if this process started it. */
  close(): Promise<void>;
}

/**
 * Opens the configured database, or the one of a `serve` running on the same `DATA_DIR`, or starts the embedded Postgres,
 * and applies migrations. Calls `onDatabaseLaunched` when only the first answer of the database is missing.
 */
export async function openRuntime(
  config: Config,
  log: Log,
  onDatabaseLaunched: () => void = () => {},
): Promise<Runtime> {
  const masterKeys = await loadMasterKeys(config);
  const running = await findRunning(config.dataDir);
  const server = await openDatabaseServer(config, running?.databaseUrl, log, onDatabaseLaunched);
  const databaseUrl = server.url;
  const poolerUrl = config.databaseDirectUrl === undefined ? undefined : config.databaseUrl;
  const opened: Database[] = [];
  const timeouts = { forgewatch_api: statementTimeoutMs, forgewatch_worker: config.workerTimeoutMs };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((database) => database.close()));
    await server.stop();
  };
  let roleKeys: RoleKeys;
  try {
    const migrated = await migrate(databaseUrl, masterKeys);
    if (migrated.applied.length > 0) log.info({ migrations: migrated.applied }, 'database migrated');
    roleKeys = migrated.roleKeys;
    if (poolerUrl !== undefined) await checkPooler(poolerUrl, roleKeys);
  } catch (error) {
    await close();
    throw namedBySetting(error, config);
  }
  const connection = (role: ServiceRole): pg.ClientConfig => ({
    ...roleConnection(databaseUrl, role, roleKeys[role], timeouts[role]),
    application_name: processName(role, keyIdOf(masterKeys[0])),
  });
  return {
    masterKeys,
    sealer: makeSealer(masterKeys),
    databaseUrl,
    connection,
    open: (role) => {
      const database = openDatabase({
        ...(poolerUrl === undefined
          ? { connection: connection(role) }
          : pooledConnection(poolerUrl, role, roleKeys[role], timeouts[role])),
        maxConnections: config.databasePoolMax,
        onIdleError: (error) => log.warn({ err: error, role }, 'database connection broken'),
      });
      opened.push(database);
      return database;
    },
    close,
  };
}

/** @throws ConfigError when statements through the pooler would fail later. */
async function checkPooler(poolerUrl: string, roleKeys: RoleKeys): Promise<void> {
  for (const role of serviceRoles) {
    const { connection } = pooledConnection(poolerUrl, role, roleKeys[role]);
    try {
      // The second client gets the session of the first one. Both can only prepare the same name if the pooler knows names.
      await prepareOnce(connection);
      await prepareOnce(connection);
    } catch (error) {
      const problem = `is (hidden), should be a connection pooler that lets ${role} log in and prepare statements (docs/guide/pgbouncer.md): ${(error as Error).message}`;
      throw new ConfigError([{ name: 'DATABASE_URL', problem }], { cause: error });
    }
  }
}

async function prepareOnce(connection: pg.ClientConfig): Promise<void> {
  const database = openDatabase({ connection, maxConnections: 1, onIdleError: () => {} });
  await database.statement({ name: 'pooler-check', text: 'select' }).finally(() => database.close());
}

/** Names the setting to change, if the error is caused by one. */
export function namedBySetting(
  error: unknown,
  { databaseUrl, databaseDirectUrl, encryptionKeys }: Config,
): unknown {
  if (error instanceof OtherKeyInUse) {
    const problem = `is ${encryptionKeys === undefined ? 'unset' : '(hidden)'}, should be the key of the other processes on this database. To replace it, list both keys, or stop all processes first`;
    return new ConfigError([{ name: 'ENCRYPTION_KEY', problem }], { cause: error });
  }
  if (databaseUrl === undefined || !(error instanceof DatabaseUnusable)) return error;
  const problem = `is (hidden), should be a Postgres database that accepts this login: ${error.message}`;
  const name = databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  return new ConfigError([{ name, problem }], { cause: error });
}
