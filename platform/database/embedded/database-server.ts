import path from 'node:path';
import { describeSpace, leastFreeBytes, readDiskSpace } from '../../runtime/files/disk-space.ts';
import { keepDataDirPrivate } from '../../runtime/files/private-files.ts';
import type { Log } from '../../runtime/log.ts';
import { makeFailureLog } from '../../runtime/tasks/failure-log.ts';
import type { Config } from '../../runtime/settings/config.ts';
import { clusterDirectory } from './embedded-binaries.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

/** Connections to an embedded Postgres besides the pools of both roles: listeners, commands and other workers. */
const otherConnections = 100;

export interface DatabaseServer {
  /** Connection string of the owner role, for sessions. */
  url: string;
  /** Stops the embedded Postgres if this process started it. */
  stop(): Promise<void>;
}

/** The configured database, or the embedded one that another process runs, or else starts the embedded Postgres. */
export async function openDatabaseServer(
  config: Pick<
    Config,
    'databaseUrl' | 'databaseDirectUrl' | 'dataDir' | 'databasePoolMax' | 'minFreeDiskBytes'
  >,
  runningUrl: string | undefined,
  log: Log,
  onLaunched: () => void = () => {},
): Promise<DatabaseServer> {
  const failures = makeFailureLog(log, { message: 'embedded Postgres ended' });
  const known = config.databaseUrl ?? runningUrl;
  const embedded =
    known === undefined
      ? await startEmbeddedPostgres({
          directory: path.join(config.dataDir, 'postgres'),
          settings: [`max_connections=${2 * config.databasePoolMax + otherConnections}`],
          onLaunch: onLaunched,
          onUnexpectedEnd: (error) =>
            void withDisk(error, config).then((cause) => failures.failed(cause, {}, 'error')),
          onRestart: failures.succeeded,
        }).catch(async (error: Error) => {
          throw await withDisk(error, config);
        })
      : undefined;
  if (known !== undefined) onLaunched();
  await keepDataDirPrivate(config.dataDir).catch((error: unknown) =>
    log.warn({ err: error, dataDir: config.dataDir }, 'data directory permissions not tightened'),
  );
  const url = config.databaseDirectUrl ?? known ?? embedded?.url ?? '';
  return { url, stop: async () => embedded?.stop() };
}

/** Postgres often ends without a word when its disk is full. */
async function withDisk(
  error: Error,
  { dataDir, minFreeDiskBytes }: Pick<Config, 'dataDir' | 'minFreeDiskBytes'>,
): Promise<Error> {
  const space = await readDiskSpace(await clusterDirectory(dataDir)).catch(() => undefined);
  if (space === undefined) return error;
  const leastBytes = leastFreeBytes(space, minFreeDiskBytes);
  if (space.freeBytes >= leastBytes) return error;
  return new Error(`${error.message} (${describeSpace(space, leastBytes)}: ${space.directory})`, {
    cause: error,
  });
}
