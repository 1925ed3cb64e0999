import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import { startAll, stopAll } from '#platform/runtime/service.ts';
import { openRuntime } from './runtime.ts';
import type { Route } from './route.ts';
import { announceRunning, findRunning, withdrawRunning } from './running.ts';

/** The halves of the program; each may run in a process of its own, any number of them on one database. */
export type ProcessRole = 'api' | 'worker';

export interface Program {
  /** Base URL on this machine; undefined for a worker alone. */
  localUrl: string | undefined;
  /** What the api answers, and to whom; empty for a worker alone. */
  routes: readonly Route[];
  readyLine: string;
  /** Where the operator signs in to the demo; undefined where it is not offered. Holds a key: only for the terminal. */
  demoAddress: string | undefined;
  /** What a newcomer can do next; only for people, never parsed. */
  hint: string | undefined;
  /** Drains. With `givesNotice`, load balancers that ask `/readyz` have time to notice first. */
  stop(options?: { givesNotice: boolean }): Promise<void>;
}

/**
 * Small buffers are pieces of a shared one, which lives as long as the last of them. Node's 64 KiB let a few hundred bytes that
 * wait for Postgres hold several webhooks.
 */
const bufferPoolBytes = 8 * 1024;

/** Opens the database, starts the wanted roles in order, and answers once they can take work. */
export async function startProgram(
  config: Config,
  log: Log,
  roles: readonly ProcessRole[],
): Promise<Program> {
  Buffer.poolSize = bufferPoolBytes;
  const isServe = roles.includes('api') && roles.includes('worker');
  const other = isServe ? await findRunning(config.dataDir) : undefined;
  if (other !== undefined) {
    throw new Error(
      `Forgewatch runs on ${config.dataDir} already (process ${other.pid}, ${other.localUrl}). Stop it, or set another DATA_DIR.`,
    );
  }
  // Modules are read in one go, without a turn for anything else: Postgres is sent off first, and starts meanwhile.
  const { promise: databaseLaunched, resolve: onDatabaseLaunched } = Promise.withResolvers<void>();
  const [runtime, { makeApp }] = await Promise.all([
    openRuntime(config, log, onDatabaseLaunched),
    databaseLaunched.then(() => import('./app.ts')),
  ]);
  try {
    const app = await makeApp(config, log, runtime, roles);
    await startAll(app.services);
    const localUrl = app.localUrl();
    if (isServe && localUrl !== undefined) {
      const { databaseUrl } = runtime;
      await announceRunning(config.dataDir, { localUrl, publicUrl: config.publicUrl, databaseUrl }).catch(
        async (error: unknown) => {
          // As on a full disk. What listens would keep the process, without a database.
          await stopAll(app.services);
          throw error;
        },
      );
    }
    return {
      localUrl,
      routes: app.routes,
      readyLine: `ready ${localUrl ?? 'worker'}`,
      demoAddress: app.demoAddress,
      hint: hintOf(config, isServe, app.demoAddress),
      stop: async ({ givesNotice } = { givesNotice: false }) => {
        try {
          await app.giveNotice(!givesNotice);
          await stopAll(app.services);
        } finally {
          if (isServe) await withdrawRunning(config.dataDir);
          await runtime.close();
        }
      },
    };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

function hintOf(config: Config, isServe: boolean, demoAddress: string | undefined): string | undefined {
  if (isServe) return firstSteps(config, demoAddress ?? config.publicUrl);
  return demoAddress === undefined ? undefined : `\n  Open      ${demoAddress}\n\n`;
}

function firstSteps(config: Config, address: string): string {
  return [
    '',
    `  Open      ${address}`,
    '  Create    npx forgewatch integration create --label "My team"',
    '  Try       npx forgewatch simulate --integration ID --rate 5',
    '  Stop      Ctrl-C; the data stays in ' + config.dataDir,
    '',
    '',
  ].join('\n');
}
