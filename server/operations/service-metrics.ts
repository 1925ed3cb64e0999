import type { FastifyInstance } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from '#platform/database/database.ts';

/** Fewer classes than routes, so that the number of series stays small. The first prefix that fits counts. */
const classes = [
  ['/api/import/', 'webhook'],
  ['/api/auth/', 'sign-in'],
  ['/oidc', 'sign-in'],
  ['/api/', 'api'],
  ['/mcp', 'api'],
  ['/badge/', 'public'],
  ['/healthz', 'operator'],
  ['/readyz', 'operator'],
  ['/metrics', 'operator'],
] as const;

/** Measures each answer as `forgewatch_http_request_seconds{class, status}`, where a status is its first digit, such as `2xx`. */
export function measureRequests(http: FastifyInstance, metrics: Registry): void {
  const seconds = new Histogram({
    name: 'forgewatch_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer, by class of route',
    labelNames: ['class', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  // Created once: a label look-up costs more than counting.
  const children = new Map<string, { observe(value: number): void }>();
  http.addHook('onResponse', (request, reply, done) => {
    const path = request.raw.url ?? '';
    const name = classes.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'web';
    const status = `${Math.floor(reply.statusCode / 100)}xx`;
    let child = children.get(name + status);
    if (child === undefined) children.set(name + status, (child = seconds.labels(name, status)));
    child.observe(reply.elapsedTime / 1_000);
    done();
  });
}

export function registerVersion(metrics: Registry, version: string): void {
  const info = new Gauge({
    name: 'forgewatch_build_info',
    help: 'Always 1; the label is the version of the process',
    labelNames: ['version'],
    registers: [metrics],
  });
  info.set({ version }, 1);
}

/** The database connections of each role that this process has. */
export function registerPools(metrics: Registry, pools: ReadonlyMap<string, Database>): void {
  const gauge = new Gauge({
    name: 'forgewatch_database_connections',
    help: 'Connections to the database, and queries that wait for one, by role and state',
    labelNames: ['role', 'state'],
    registers: [metrics],
    collect: () => {
      for (const [role, db] of pools) {
        const { open, idle, waiting } = db.readConnections();
        gauge.set({ role, state: 'busy' }, open - idle);
        gauge.set({ role, state: 'idle' }, idle);
        gauge.set({ role, state: 'waiting' }, waiting);
      }
    },
  });
}
