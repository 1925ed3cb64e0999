import { listen } from '#platform/http/listen.ts';
import { makeHttpServer } from '#platform/http/server.ts';
import { registerRoutes } from '#platform/http/register.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { accessRules } from '#server/route.ts';
import { operationsRoutes, type OperationsDeps } from './routes.ts';

export interface WorkerPagesDeps extends Omit<OperationsDeps, 'isDraining'> {
  log: Log;
  host: string;
  port: number;
}

/** The operator's pages of a worker that runs alone and has no other HTTP. */
export async function makeWorkerPages({ log, host, port, ...deps }: WorkerPagesDeps): Promise<Service> {
  const http = makeHttpServer(log);
  const routes = operationsRoutes({ ...deps, isDraining: () => false });
  // All of them are open to everybody or see to their caller themselves.
  await registerRoutes(
    http,
    routes,
    accessRules(() => () => Promise.reject(new Error('no row here needs a role'))),
  );
  return {
    name: 'worker pages',
    start: () => listen(http, { host, port }, 'METRICS_PORT'),
    stop: () => http.close(),
  };
}
