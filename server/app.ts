import { makeDiskGuard } from '#platform/database/disk-guard.ts';
import { clusterDirectory } from '#platform/database/embedded/embedded-binaries.ts';
import { makeListener } from '#platform/database/listener.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Database } from '#platform/database/database.ts';
import { makeMetrics } from '#platform/runtime/metrics.ts';
import { registerPools, registerVersion } from '#server/operations/service-metrics.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeOpenedSegments } from '#server/queue/postgres/engine.ts';
import { makeWakeUp } from '#server/queue/postgres/wake-up.ts';
import { makeDrainNotice } from '#server/operations/drain-notice.ts';
import { makeQuotas } from '#server/quotas/quotas.ts';
import { makeReadiness } from '#server/operations/readiness.ts';
import type { OperationsDeps } from '#server/operations/routes.ts';
import type { SampleForge } from '#server/simulate/sample-forge/sample-forge.ts';
import type { Api } from './make-api.ts';
import type { Runtime } from './runtime.ts';
import type { ApiDeps, ProcessRole, RoleDeps } from './role-deps.ts';
import { makeQueue } from './open-queue.ts';
import type { Route } from './route.ts';
import { makeWorkerServices } from './make-worker.ts';

/** The wired program. */
export interface App {
  /** Started in this order, stopped in reverse. */
  services: readonly Service[];
  /** The route table of the api; empty for a worker alone. */
  routes: readonly Route[];
  /** Base URL on this machine once started. Undefined for a worker alone. */
  localUrl(): string | undefined;
  /** Where the forge of the sample traffic listens; undefined where it does not run. */
  sampleForgeUrl: string | undefined;
  /** URL of the demo sign-in; undefined where it is not available. */
  demoAddress: string | undefined;
  /** Makes `/readyz` fail. Resolves when the services may stop, immediately if `isUrgent`. */
  giveNotice(isUrgent: boolean): Promise<void>;
}

/** Creates the services of the given roles on one runtime. Nothing but the forge of the sample traffic runs until they are started. */
export async function makeApp(
  config: Config,
  log: Log,
  runtime: Runtime,
  roles: readonly ProcessRole[],
): Promise<App> {
  const { sealer } = runtime;
  const metrics = makeMetrics();
  const wakeUp = makeWakeUp();
  const role = roles.includes('api') ? 'forgewatch_api' : 'forgewatch_worker';
  const listener = makeListener(runtime.connection(role), log);
  // Only a worker reads what this process has sent.
  const opened = roles.includes('worker') ? makeOpenedSegments() : undefined;
  const queueOptions = { sealer, log, listener, wakeUp, ...(opened && { opened }) };
  const sampleForge =
    config.demoSignIn && roles.length > 1 ? await makeSampleForge(config, log, runtime) : undefined;
  const disk = makeDiskGuard({
    log,
    metrics,
    directory: config.databaseUrl === undefined ? await clusterDirectory(config.dataDir) : undefined,
    minFreeBytes: config.minFreeDiskBytes,
  });
  const shared = { config, log, runtime, metrics, listener, disk, clock: systemClock, sampleForge };

  const open = async (databaseRole: Parameters<Runtime['open']>[0], sweeps: boolean) => {
    const db = runtime.open(databaseRole);
    return { db, queue: await makeQueue(config, { ...queueOptions, db, sweeps }) };
  };
  const ofApi = roles.includes('api') ? await open('forgewatch_api', false) : undefined;
  const ofWorker = roles.includes('worker') ? await open('forgewatch_worker', true) : undefined;
  registerVersion(metrics, packageJson.version);
  registerPools(metrics, openPools({ api: ofApi?.db, worker: ofWorker?.db }));
  const first = ofApi ?? ofWorker;
  if (first === undefined) throw new Error('a program has at least one role');
  const quotas = makeQuotas({ ...shared, db: first.db, limits: config });
  const notice = { checkReady: makeReadiness(first), drainNotice: makeDrainNotice(config.workerTimeoutMs) };
  const api = ofApi && (await makeApi({ ...shared, quotas, ...ofApi, ...notice }));
  const worker =
    ofWorker && (await makeWorkerServices({ ...shared, quotas, ...ofWorker, node: api?.realtime }));
  const operatorPages = await makeOperatorPages({ ...shared, ...notice });
  return {
    // Start order; the services stop in reverse. Requests are accepted last and refused first.
    services: [
      // 1. Disk, quotas, queue, keys and recorders that request handlers need.
      disk,
      quotas,
      ...(api?.background ?? []),
      ...(sampleForge === undefined ? [] : [sampleForge]),
      // 2. LISTEN connection. All subscribers exist, because they subscribe when they are made.
      listener,
      // 3. Queue consumers, rule evaluation, notifications and periodic tasks.
      ...(worker?.services ?? []),
      // 4. Operator pages, before the api so that they answer while it drains.
      ...operatorPages,
      // 5. WebSockets and HTTP.
      ...(api?.foreground ?? []),
    ],
    routes: api?.routes ?? [],
    localUrl: () => api?.localUrl(),
    sampleForgeUrl: sampleForge?.url,
    demoAddress: api?.demoAddress,
    // A worker receives no requests, so nobody has to notice.
    giveNotice: (isUrgent) => notice.drainNotice.give({ isUrgent: isUrgent || api === undefined }),
  };
}

const openPools = (pools: Record<string, Database | undefined>): Map<string, Database> =>
  new Map(Object.entries(pools).filter((pool): pool is [string, Database] => pool[1] !== undefined));

/** Loaded on demand, because only a demo has it. */
async function makeSampleForge(
  { publicUrl }: Config,
  log: Log,
  { masterKeys }: Runtime,
): Promise<SampleForge> {
  const { makeSampleForge } = await import('#server/simulate/sample-forge/sample-forge.ts');
  return makeSampleForge({ clock: systemClock, log, masterKeys, publicUrl });
}

/** Loaded on demand, because a worker alone needs neither sockets nor sign-in. */
async function makeApi(deps: ApiDeps): Promise<Api> {
  const { makeApi } = await import('./make-api.ts');
  return makeApi(deps);
}

/** Operator pages on METRICS_PORT, if it is set. Loaded on demand. */
async function makeOperatorPages({
  config: { port: otherPort, metricsPort: port, metricsHost: host },
  ...deps
}: OperationsDeps & Pick<RoleDeps, 'config' | 'log'>): Promise<Service[]> {
  if (port === undefined) return [];
  const pages = await import('#server/operations/operator-pages.ts');
  return [await pages.makeOperatorPages({ ...deps, host, port, otherPort })];
}
