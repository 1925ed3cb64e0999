import { makeListener } from '#platform/database/listener.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makeMetrics } from '#platform/runtime/metrics.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeWakeUp } from '#server/queue/postgres/wake-up.ts';
import { makeDrainNotice } from '#server/operations/drain-notice.ts';
import { makeReadiness } from '#server/operations/readiness.ts';
import type { OperationsDeps } from '#server/operations/routes.ts';
import type { Api } from './make-api.ts';
import type { Runtime } from './runtime.ts';
import type { ApiDeps, RoleDeps } from './role-deps.ts';
import type { ProcessRole } from './main.ts';
import { makeQueue } from './open-queue.ts';
import type { Route } from './route.ts';
import { makeWorkerServices } from './make-worker.ts';

/** The wired program: what to start, in order, and where it listens. */
export interface App {
  services: readonly Service[];
  /** What the api answers, and to whom; empty for a worker alone. */
  routes: readonly Route[];
  /** Base URL on this machine once started; undefined when no HTTP is served. */
  localUrl(): string | undefined;
  /** Where the operator signs in to the demo; undefined where it is not offered. */
  demoAddress: string | undefined;
  /** Turns `/readyz` red. Resolves when the services may stop; at once on `isUrgent`. */
  giveNotice(isUrgent: boolean): Promise<void>;
}

/** Makes the modules of the given roles on one runtime. Nothing runs before its services are started. */
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
  const queueParts = { sealer, log, listener, wakeUp };
  const shared = { config, log, runtime, metrics, listener, clock: systemClock };

  const open = async (databaseRole: Parameters<Runtime['open']>[0], sweeps: boolean) => {
    const db = runtime.open(databaseRole);
    return { db, queue: await makeQueue(config, { ...queueParts, db, sweeps }) };
  };
  const ofApi = roles.includes('api') ? await open('forgewatch_api', false) : undefined;
  const ofWorker = roles.includes('worker') ? await open('forgewatch_worker', true) : undefined;
  const one = ofApi ?? ofWorker;
  if (one === undefined) throw new Error('a program has at least one role');
  const checkReady = makeReadiness(one);
  const drainNotice = makeDrainNotice(config.workerTimeoutMs);
  const api = ofApi && (await makeApi({ ...shared, ...ofApi, checkReady, drainNotice }));
  const worker = ofWorker && (await makeWorkerServices({ ...shared, ...ofWorker, node: api?.realtime }));
  const pages = await operatorPages({
    config,
    log,
    metrics,
    checkReady,
    drainNotice,
  });
  return {
    services: [
      ...(api?.background ?? []),
      listener,
      ...(worker?.services ?? []),
      // Before the api, so that they still answer while it drains.
      ...pages,
      ...(api?.foreground ?? []),
    ],
    routes: api?.routes ?? [],
    localUrl: () => api?.localUrl(),
    demoAddress: api?.demoAddress,
    // Nothing is sent to a worker.
    giveNotice: (isUrgent) => drainNotice.give({ isUrgent: isUrgent || api === undefined }),
  };
}

/** A worker alone does without sockets and sign-in: none of it is read. */
async function makeApi(deps: ApiDeps): Promise<Api> {
  const { makeApi } = await import('./make-api.ts');
  return makeApi(deps);
}

/** A listener of their own, when METRICS_PORT is set; a worker without it has no HTTP, and reads none of it. */
async function operatorPages({
  config: { metricsPort: port, metricsHost: host },
  ...deps
}: OperationsDeps & Pick<RoleDeps, 'config' | 'log'>): Promise<Service[]> {
  if (port === undefined) return [];
  const { makeOperatorPages } = await import('#server/operations/operator-pages.ts');
  return [await makeOperatorPages({ ...deps, host, port })];
}
