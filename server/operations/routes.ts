import { timingSafeEqual, createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { Type } from 'typebox';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Queue } from '#server/queue/queue.ts';
import { route, type Route } from '#server/route.ts';

export interface OperationsDeps {
  db: Database;
  queue: Pick<Queue, 'ping'>;
  metrics: Registry;
  metricsToken: string | undefined;
  isDraining(): boolean;
}

/** The pages of an operator, outside `/api`: is it up, can it take work, what does it count. */
export function operationsRoutes(deps: OperationsDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/healthz',
      access: 'everybody',
      summary: 'The process is up',
      answer: { schema: Type.Object({ status: Type.Literal('up') }) },
      handle: async () => ({ status: 'up' }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      access: 'everybody',
      summary: 'Database and queue answer, and the process is not draining',
      answer: { schema: Type.Object({ status: Type.Literal('ready') }) },
      handle: async () => {
        await checkReady(deps);
        return { status: 'ready' };
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      access: 'everybody',
      summary: 'Prometheus metrics; from loopback, or with METRICS_TOKEN as bearer token',
      answer: { contentType: 'text/plain; version=0.0.4; charset=utf-8' },
      handle: async ({ request }) => {
        if (!maySeeMetrics(request, deps.metricsToken)) throw new AppError('unauthenticated');
        return deps.metrics.metrics();
      },
    }),
  ];
}

async function checkReady({ db, queue, isDraining }: OperationsDeps): Promise<void> {
  if (isDraining())
    throw new AppError('try_again', { detail: 'The process is draining.', retryAfterSeconds: 5 });
  try {
    await Promise.all([db.withScope('service', (tx) => tx.query('select 1')), queue.ping()]);
  } catch (error) {
    throw new AppError('try_again', {
      detail: 'Database or queue does not answer.',
      retryAfterSeconds: 2,
      cause: error,
    });
  }
}

function maySeeMetrics(request: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined) {
    const isForwarded =
      request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
    return !isForwarded && /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '');
  }
  return timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`));
}

/** Equal lengths for the comparison, whatever was sent. */
function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
