import path from 'node:path';
import { clusterDirectory } from '#platform/database/embedded/embedded-binaries.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import { startAll, stopAll } from '#platform/runtime/service.ts';
import { openRuntime } from './runtime.ts';
import type { ProcessRole } from './role-deps.ts';
import type { Route } from './route.ts';
import { announceRunning, findRunning, withdrawRunning } from './running.ts';

export interface Program {
  /** Base URL on this machine; undefined for a worker alone. */
  localUrl: string | undefined;
  /** The route table of the api; empty for a worker alone. */
  routes: readonly Route[];
  readyLine: string;
  /** URL of the demo sign-in; undefined where it is not available. Contains a key, so print it only to the terminal. */
  demoAddress: string | undefined;
  /** First steps for people. Not for parsing. */
  hint: string | undefined;
  /** Drains and stops. With `givesNotice`, first gives load balancers time to see `/readyz` fail. */
  stop(options?: { givesNotice: boolean }): Promise<void>;
}

/** Opens the database and starts the given roles. Resolves when they are ready. */
export async function startProgram(
  config: Config,
  log: Log,
  roles: readonly ProcessRole[],
): Promise<Program> {
  const isServe = roles.includes('api') && roles.includes('worker');
  const other = isServe ? await findRunning(config.dataDir) : undefined;
  if (other !== undefined) {
    throw new Error(
      `Forgewatch is already running on ${config.dataDir} (process ${other.pid}, ${other.localUrl}). Stop it, or set another DATA_DIR.`,
    );
  }
  // Importing modules blocks the event loop, so Postgres is launched first and starts in the meantime.
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
      await announceRunning(config.dataDir, {
        localUrl,
        publicUrl: config.publicUrl,
        webOrigins: config.webOrigins,
        databaseUrl,
        sampleForgeUrl: app.sampleForgeUrl,
      }).catch(async (error: unknown) => {
        // For example on a full disk. Open listeners would keep the process alive without a database.
        await stopAll(app.services);
        throw error;
      });
    }
    return {
      localUrl,
      routes: app.routes,
      readyLine: `ready ${localUrl ?? 'worker'}`,
      demoAddress: app.demoAddress,
      hint: await hintOf(config, isServe, app.demoAddress),
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

async function hintOf(
  config: Config,
  isServe: boolean,
  demoAddress: string | undefined,
): Promise<string | undefined> {
  if (isServe) return firstSteps(config, demoAddress);
  return demoAddress === undefined ? undefined : `\n  Open      ${demoAddress}\n\n`;
}

async function firstSteps(config: Config, demoAddress: string | undefined): Promise<string> {
  const { oidcIssuer, forgeClientId, publicUrl } = config;
  const canSignIn = (demoAddress ?? oidcIssuer ?? forgeClientId) !== undefined;
  // Without the demo, the command has no default owner.
  const owner = demoAddress === undefined ? ' --owner LOGIN' : '';
  return [
    '',
    `  Open      ${demoAddress ?? publicUrl}`,
    ...(canSignIn ? [] : ['  Sign-in   none yet: set FORGE_CLIENT_ID or OIDC_ISSUER']),
    `  Create    npx forgewatch integration create --label "My team"${owner}`,
    '  Try       npx forgewatch simulate --integration ID --rate 5',
    `  Stop      Ctrl-C; the data stays in ${await placeOfData(config)}`,
    '',
    '',
  ].join('\n');
}

/** As root, the packaged Postgres may keep its files outside of DATA_DIR. */
async function placeOfData({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl !== undefined) return 'the database of DATABASE_URL';
  const cluster = await clusterDirectory(dataDir);
  const isInside = !path.relative(dataDir, cluster).startsWith('..');
  return isInside ? dataDir : `${cluster}, and its key in ${dataDir}`;
}
