import { listen } from '#platform/http/listening/listen.ts';
import { makeHttpServer } from '#platform/http/server.ts';
import { registerRoutes } from '#platform/http/register.ts';
import { countUnknownPaths, refuseUnknownPaths } from '#platform/http/chain/unknown-paths.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { accessRules } from '#server/route.ts';
import { metricsRoute, operationsRoutes, type OperationsDeps } from './routes.ts';

export interface OperatorPagesDeps extends OperationsDeps {
  log: Log;
  host: string;
  port: number;
  /** PORT. */
  otherPort?: number;
}

/** Serves the operator pages on METRICS_PORT. Everybody who reaches this port may read the metrics. */
export async function makeOperatorPages({
  log,
  host,
  port,
  otherPort,
  ...deps
}: OperatorPagesDeps): Promise<Service> {
  const http = makeHttpServer(log);
  countUnknownPaths(http);
  refuseUnknownPaths(http);
  await registerRoutes(
    http,
    [...operationsRoutes(deps), metricsRoute(deps)],
    accessRules(() => () => Promise.reject(new Error('no route of METRICS_PORT needs a role'))),
  );
  return {
    name: 'operator pages',
    start: () => listen(http, { host, port }, 'METRICS_PORT', otherPort),
    stop: () => http.close(),
  };
}
