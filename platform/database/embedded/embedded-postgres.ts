import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../runtime/processes/free-port.ts';
import { takeOver } from './cluster-owner.ts';
import { enterableDirectory, findPostgresPrograms, type PostgresPrograms } from './embedded-binaries.ts';
import {
  causeOfEnd,
  collect,
  hasEnded,
  launch,
  launchUntilAnswers,
  stopServer,
  type Server,
} from './embedded-process.ts';

export interface EmbeddedPostgres {
  /** Connection string of the owner role. */
  url: string;
  /** Process ID of the running server; changes after a restart. */
  pid(): number;
  /** Fast shutdown: open transactions are rolled back, everything committed stays. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Directory of the cluster; created if missing. */
  directory: string;
  /** Port on loopback. Default: a free port. */
  port?: number;
  /** Extra `name=value` server settings. */
  settings?: readonly string[];
  /** Called each time the server process was launched. */
  onLaunch?: () => void;
  /** Called when the server ends unexpectedly, and for each failed restart. */
  onUnexpectedEnd?: (error: Error) => void;
  /** Called when it runs again. */
  onRestart?: () => void;
}

/**
 * Starts the packaged Postgres. First stops a server that a killed process left running on the same directory. Restarts
 * the server on the same port when it ends unexpectedly.
 */
export async function startEmbeddedPostgres({
  directory,
  port = 0,
  settings = [],
  onLaunch = () => {},
  onUnexpectedEnd = () => {},
  onRestart = () => {},
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const programs = await findPostgresPrograms();
  const cluster = await enterableDirectory(directory, programs.account);
  const release = await takeOver(cluster);
  try {
    if (!(await exists(path.join(cluster, 'PG_VERSION')))) await initialise(cluster, programs);
    const password = await readFile(path.join(cluster, 'owner-password'), 'utf8');
    const listenPort = port === 0 ? await freePort() : port;
    const url = `postgres://forgewatch:${password}@127.0.0.1:${listenPort}/postgres`;
    const start = () =>
      launchUntilAnswers(url, () => {
        const server = launch(programs, cluster, listenPort, settings);
        onLaunch();
        return server;
      });
    return supervise({ url, release, start, onUnexpectedEnd, onRestart }, await start());
  } catch (error) {
    // The next start may use another account, which could not overwrite the owner file.
    await release();
    throw error;
  }
}

/** Delay between failed restarts. */
const restartDelayMs = 1_000;

interface Supervised {
  url: string;
  release: () => Promise<void>;
  start: () => Promise<Server>;
  onUnexpectedEnd: (error: Error) => void;
  onRestart: () => void;
}

/** Keeps the server running until `stop`. */
function supervise(
  { url, release, start, onUnexpectedEnd, onRestart }: Supervised,
  first: Server,
): EmbeddedPostgres {
  let server = first;
  const stopping = new AbortController();
  let restarting: Promise<void> = Promise.resolve();

  const watch = (): void => {
    const onEnd = (): void => {
      if (!stopping.signal.aborted) restarting = restart();
    };
    // The server may have ended since its first answer.
    if (hasEnded(server.process)) onEnd();
    else server.process.once('exit', onEnd);
  };
  const restart = async (): Promise<void> => {
    onUnexpectedEnd(new Error(`Postgres ended unexpectedly; restarting it: ${causeOfEnd(server)}`));
    while (!stopping.signal.aborted) {
      const next = await start().catch((error: unknown) => onUnexpectedEnd(error as Error));
      if (next !== undefined) {
        server = next;
        onRestart();
        return watch();
      }
      // A full disk makes each attempt fail.
      await delay(restartDelayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };

  watch();
  return {
    url,
    pid: () => server.process.pid ?? 0,
    stop: async () => {
      stopping.abort();
      await restarting;
      await stopServer(server.process);
      await release();
    },
  };
}

/** Runs initdb in a temporary directory, so that an interrupted run leaves no incomplete cluster. */
async function initialise(cluster: string, { initdb, account }: PostgresPrograms): Promise<void> {
  const partial = `${cluster}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const passwordFile = `${partial}.password`;
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account)
    await Promise.all([partial, passwordFile].map((file) => chown(file, account.uid, account.gid)));
  const args = [
    '-D',
    partial,
    '-U',
    'forgewatch',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
    // Who fills a segment makes the next one, zeros and all, while everybody waits: 40 ms for the usual 16 MB.
    '--wal-segsize=1',
  ];
  const child = spawn(initdb, args, { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  const lastOutput = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    const cause = causeOfEnd({ process: child, lastOutput });
    throw new Error(`Postgres could not create its files in ${cluster}: ${cause}`);
  }
  await rename(passwordFile, path.join(partial, 'owner-password'));
  await rename(partial, cluster);
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
