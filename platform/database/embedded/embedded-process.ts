import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import type { PostgresPrograms } from './embedded-binaries.ts';

/** Sized for one machine that also runs the service; durability stays at Postgres' defaults. */
const serverSettings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=120',
  'shared_buffers=256MB',
  'max_wal_size=2GB',
  // Segments once made are used again, and the buffers keep their size where segments are small.
  'min_wal_size=256MB',
  'wal_buffers=8MB',
  'random_page_cost=1.1',
  'jit=off',
  'autovacuum_naptime=10s',
  'log_min_messages=warning',
];

/** For the start of Postgres, and for the end of an earlier one. */
export const startTimeoutMs = 60_000;

export interface Server {
  process: ChildProcess;
  lastOutput: () => string;
}

/**
 * Becomes the program in its arguments and leaves a small process that waits at standard input. A line there dismisses
 * it. The end of the input means that the service was killed: then Postgres gets SIGINT, its fast shutdown. The waiting
 * process has left its parent before Postgres starts, because Postgres takes a child that it did not start for a fault.
 */
const endWithStandardInput = `
exec 3<&0 </dev/null
( { trap '' HUP INT TERM; read -r _ <&3 || kill -INT $$; } >/dev/null 2>&1 & )
exec "$@" 3<&-`;

/**
 * In a session of its own: Ctrl-C must reach the service first, which stops the database last. It ends by itself when
 * the service is killed.
 */
export function launch(
  { postgres, account }: PostgresPrograms,
  cluster: string,
  port: number,
  settings: readonly string[],
): Server {
  const options = [...serverSettings, ...settings].flatMap((setting) => ['-c', setting]);
  const program = [postgres, '-D', cluster, '-p', String(port), ...options];
  const [command, args] =
    process.platform === 'win32'
      ? [postgres, program.slice(1)]
      : ['/bin/sh', ['-c', endWithStandardInput, 'sh', ...program]];
  const child = spawn(command, args, {
    ...account,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  // Another process may get the ID of an ended server, so the guard learns that the server ended.
  child.stdin.on('error', () => {});
  child.once('exit', () => child.stdin.end('ended\n'));
  return { process: child, lastOutput: collect(child) };
}

/** Returns the end of standard error, for error messages. */
export function collect(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-2000);
  });
  return () => tail.trim();
}

/** What an ended process wrote last, or else how it ended. */
export function causeOfEnd({ process: { exitCode, signalCode }, lastOutput }: Server): string {
  return lastOutput() || `it ended with ${signalCode ?? `exit code ${exitCode}`} and wrote nothing`;
}

async function answers(url: string, server: Server, deadline: number): Promise<void> {
  for (;;) {
    if (hasEnded(server.process)) {
      throw new Error(`Postgres ended while starting: ${causeOfEnd(server)}`);
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
      const cause = server.lastOutput() || (failure as Error).message;
      throw new Error(`Postgres did not answer within ${startTimeoutMs / 1000} s: ${cause}`, {
        cause: failure,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export async function stopServer(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  await exited;
}

/** Retries while child processes of a killed server still hold its shared memory. */
export async function launchUntilAnswers(url: string, start: () => Server): Promise<Server> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const server = start();
    const failure = await answers(url, server, deadline).catch((error: unknown) => error);
    if (failure === undefined) return server;
    if (!/shared memory block|lock file/.test(String(failure)) || Date.now() > deadline) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
