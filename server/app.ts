import { makeListener } from '#platform/database/listener.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makeMetrics } from '#platform/runtime/metrics.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeWakeUp } from '#server/queue/postgres/wake-up.ts';
import type { ApiHalf } from './api-half.ts';
import type { Deployment } from './deployment.ts';
import type { HalfDeps } from './half-deps.ts';
import type { Part } from './main.ts';
import { makeQueue } from './open-queue.ts';
import type { Route } from './route.ts';
import { makeWorkerHalf } from './worker-half.ts';

/** The wired program: what to start, in order, and where it listens. */
export interface App {
  services: readonly Service[];
  /** What the api answers, and to whom; empty for a worker alone. */
  routes: readonly Route[];
  /** Base URL on this machine once started; undefined when no HTTP is served. */
  localUrl(): string | undefined;
  /** Where the operator signs in to the demo; undefined where it is not offered. */
  demoAddress: string | undefined;
}

/** Makes the wanted halves on one set of shared parts. Nothing runs before its services are started. */
export async function makeApp(
  config: Config,
  log: Log,
  deployment: Deployment,
  parts: readonly Part[],
): Promise<App> {
  const { sealer } = deployment;
  const metrics = makeMetrics();
  const wakeUp = makeWakeUp();
  const role = parts.includes('api') ? 'forgewatch_api' : 'forgewatch_worker';
  const listener = makeListener(deployment.connection(role), log);
  const queueParts = { sealer, log, listener, wakeUp };
  const shared = { config, log, deployment, metrics, listener, clock: systemClock };

  const apiDb = parts.includes('api') ? deployment.open('forgewatch_api') : undefined;
  const api =
    apiDb &&
    (await makeApi({ ...shared, db: apiDb, queue: await makeQueue(config, { ...queueParts, db: apiDb }) }));
  const workerDb = parts.includes('worker') ? deployment.open('forgewatch_worker') : undefined;
  const worker =
    workerDb &&
    (await makeWorkerHalf({
      ...shared,
      db: workerDb,
      queue: await makeQueue(config, { ...queueParts, db: workerDb, sweeps: true }),
      node: api?.realtime,
    }));
  return {
    services: [...(api?.background ?? []), listener, ...(worker?.services ?? []), ...(api?.foreground ?? [])],
    routes: api?.routes ?? [],
    localUrl: () => api?.localUrl(),
    demoAddress: api?.demoAddress,
  };
}

/** A worker alone does without HTTP, sockets and sign-in: none of it is read. */
async function makeApi(deps: HalfDeps): Promise<ApiHalf> {
  const { makeApiHalf } = await import('./api-half.ts');
  return makeApiHalf(deps);
}
