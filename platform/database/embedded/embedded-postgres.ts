import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../runtime/free-port.ts';
import { enterableDirectory, findPostgresPrograms, type PostgresPrograms } from './embedded-binaries.ts';
import {
  collect,
  hasEnded,
  launch,
  launchUntilAnswers,
  release,
  stopServer,
  takeOver,
  type Server,
} from './embedded-process.ts';

export interface EmbeddedPostgres {
  /** Connection string of the owner role. */
  url: string;
  /** Process id of the server as it is now. */
  pid(): number;
  /** Fast shutdown: open transactions are rolled back, everything committed stays. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** The cluster's directory; made when it does not exist. */
  directory: string;
  /** Where it listens on loopback; a free port when left out. */
  port?: number;
  /** Extra `name=value` server settings. */
  settings?: readonly string[];
  /** Called each time the server has been sent off and starts by itself. */
  onLaunch?: () => void;
  /** Told when the server ended unasked, and of each failed attempt to start it again. */
  onUnexpectedEnd?: (error: Error) => void;
}

/**
 * Starts the packaged Postgres, after ending what a killed earlier run may have left on the same directory, and starts
 * it again on the same port whenever it ends unasked.
 */
export async function startEmbeddedPostgres({
  directory,
  port = 0,
  settings = [],
  onLaunch = () => {},
  onUnexpectedEnd = () => {},
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const programs = await findPostgresPrograms();
  const cluster = await enterableDirectory(directory, programs.account);
  await takeOver(cluster);
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
    return supervise({ url, cluster, start, onUnexpectedEnd }, await start());
  } catch (error) {
    // Whoever starts next may be somebody else, who could not write what is ours.
    await release(cluster);
    throw error;
  }
}

/** Between attempts to start a server again that fail. */
const startAgainMs = 1_000;

interface Supervised {
  url: string;
  cluster: string;
  start: () => Promise<Server>;
  onUnexpectedEnd: (error: Error) => void;
}

/** Keeps the server running until `stop`. */
function supervise({ url, cluster, start, onUnexpectedEnd }: Supervised, first: Server): EmbeddedPostgres {
  let server = first;
  const stopping = new AbortController();
  let restarting: Promise<void> = Promise.resolve();

  const watch = (): void => {
    const onEnd = (): void => {
      if (!stopping.signal.aborted) restarting = restart();
    };
    // It may have ended between its first answer and here.
    if (hasEnded(server.process)) onEnd();
    else server.process.once('exit', onEnd);
  };
  const restart = async (): Promise<void> => {
    onUnexpectedEnd(new Error(`Postgres ended unasked; starting it again. ${server.complaint()}`));
    while (!stopping.signal.aborted) {
      const next = await start().catch((error: unknown) => onUnexpectedEnd(error as Error));
      if (next !== undefined) {
        server = next;
        return watch();
      }
      // As on a full disk: each attempt leaves a line in the log.
      await delay(startAgainMs, undefined, { signal: stopping.signal }).catch(() => {});
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
      await release(cluster);
    },
  };
}

/** initdb works beside the final place, so that a run killed half-way leaves nothing that looks finished. */
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
  const complaint = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Postgres could not create its files in ${cluster}: ${complaint()}`);
  await rename(passwordFile, path.join(partial, 'owner-password'));
  await rename(partial, cluster);
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
