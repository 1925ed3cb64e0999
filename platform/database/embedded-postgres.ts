import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { enterableDirectory, findPostgresPrograms, type PostgresPrograms } from './embedded-binaries.ts';

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
  /** Told when the server ended unasked, and of each failed attempt to start it again. */
  onUnexpectedEnd?: (error: Error) => void;
}

/** Sized for one machine that also runs the service; durability stays at Postgres' defaults. */
const serverSettings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=120',
  'shared_buffers=256MB',
  'max_wal_size=2GB',
  'random_page_cost=1.1',
  'jit=off',
  'autovacuum_naptime=10s',
  'log_min_messages=warning',
];

const startTimeoutMs = 60_000;

/**
 * Starts the packaged Postgres, after ending what a killed earlier run may have left on the same directory, and starts
 * it again on the same port whenever it ends unasked.
 */
export async function startEmbeddedPostgres({
  directory,
  port = 0,
  settings = [],
  onUnexpectedEnd = () => {},
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const programs = await findPostgresPrograms();
  const cluster = await enterableDirectory(directory, programs.account);
  await endOrphan(cluster);
  if (!(await exists(path.join(cluster, 'PG_VERSION')))) await initialise(cluster, programs);
  const password = await readFile(path.join(cluster, 'owner-password'), 'utf8');
  const listenPort = port === 0 ? await freePort() : port;
  const url = `postgres://forgewatch:${password}@127.0.0.1:${listenPort}/postgres`;
  const start = () => launchUntilAnswers(url, () => launch(programs, cluster, listenPort, settings));
  return supervise(url, await start(), start, onUnexpectedEnd);
}

/** Keeps the server running until `stop`. */
function supervise(
  url: string,
  first: Server,
  start: () => Promise<Server>,
  onUnexpectedEnd: (error: Error) => void,
): EmbeddedPostgres {
  let server = first;
  let isStopping = false;
  let restarting: Promise<void> = Promise.resolve();

  const watch = (): void => {
    const onEnd = (): void => {
      if (!isStopping) restarting = restart();
    };
    // It may have ended between its first answer and here.
    if (hasEnded(server.process)) onEnd();
    else server.process.once('exit', onEnd);
  };
  const restart = async (): Promise<void> => {
    onUnexpectedEnd(new Error(`Postgres ended unasked; starting it again. ${server.complaint()}`));
    while (!isStopping) {
      const next = await start().catch((error: unknown) => onUnexpectedEnd(error as Error));
      if (next === undefined) continue;
      server = next;
      return watch();
    }
  };

  watch();
  return {
    url,
    pid: () => server.process.pid ?? 0,
    stop: async () => {
      isStopping = true;
      await restarting;
      await stopServer(server.process);
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** After a killed server, its last children hold the shared memory for a moment longer; until then a start is refused. */
async function launchUntilAnswers(url: string, start: () => Server): Promise<Server> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const server = start();
    const failure = await answers(url, server, deadline).catch((error: unknown) => error);
    if (failure === undefined) return server;
    if (!/shared memory block|lock file/.test(String(failure)) || Date.now() > deadline) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
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
  ];
  const child = spawn(initdb, args, { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  const complaint = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Postgres could not create its files in ${cluster}: ${complaint()}`);
  await rename(passwordFile, path.join(partial, 'owner-password'));
  await rename(partial, cluster);
}

interface Server {
  process: ChildProcess;
  complaint: () => string;
}

/** In a session of its own: Ctrl-C must reach the service first, which stops the database last. */
function launch(
  { postgres, account }: PostgresPrograms,
  cluster: string,
  port: number,
  settings: readonly string[],
): Server {
  const options = [...serverSettings, ...settings].flatMap((setting) => ['-c', setting]);
  const child = spawn(postgres, ['-D', cluster, '-p', String(port), ...options], {
    ...account,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { process: child, complaint: collect(child) };
}

/** The end of what the program wrote to standard error, for a message when it fails. */
function collect(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-2000);
  });
  return () => tail.trim();
}

async function answers(url: string, server: Server, deadline: number): Promise<void> {
  for (;;) {
    if (hasEnded(server.process)) {
      throw new Error(`Postgres ended while starting: ${server.complaint()}`);
    }
    const client = new pg.Client({ connectionString: url });
    const failure = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    );
    await client.end().catch(() => {});
    if (failure === undefined) return;
    if (Date.now() > deadline) {
      await stopServer(server.process);
      throw new Error(`Postgres did not answer within ${startTimeoutMs / 1000} s: ${server.complaint()}`, {
        cause: failure,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  await exited;
}

/** A service that was killed leaves its Postgres running; two servers must never share one directory. */
async function endOrphan(cluster: string): Promise<void> {
  const lock = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(lock.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !(await isPostgresOf(pid, cluster))) return;
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + startTimeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline)
      throw new Error(`An earlier Postgres (process ${pid}) does not end: stop it, then start again.`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** A process id may have been given to something else since; where /proc can tell, it must be our server. */
async function isPostgresOf(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return command === undefined || command.includes(cluster);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
