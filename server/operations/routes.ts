import type { Registry } from 'prom-client';
import { Type } from 'typebox';
import { storageFull, type DiskGuard } from '#platform/database/disk-guard.ts';
import { outageCause } from '#platform/database/database-error.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { isSameSecret } from '#platform/runtime/secrets/same-secret.ts';
import { route, type Route } from '#server/route.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { DrainNotice } from './drain-notice.ts';

export interface OperationsDeps {
  metrics: Registry;
  /** Rejects when the database or the queue does not answer. */
  checkReady(): Promise<void>;
  drainNotice: Pick<DrainNotice, 'read'>;
  disk: Pick<DiskGuard, 'problem'>;
}

/** Health checks outside `/api`, without authentication. */
export function operationsRoutes(deps: Omit<OperationsDeps, 'metrics'>): Route[] {
  return [
    route('GET', '/healthz', {
      access: 'everybody',
      summary: 'Check that the process is up, and which version it is',
      answer: { schema: Type.Object({ status: Type.Literal('up'), version: Type.String() }) },
      handle: async () => ({ status: 'up', version: packageJson.version }),
    }),
    route('GET', '/readyz', {
      access: 'everybody',
      summary:
        'Check that database and queue answer, the disk has space and the process is not draining; checked at most once per second',
      errors: ['storage_full'],
      answer: { schema: Type.Object({ status: Type.Literal('ready') }) },
      handle: async () => {
        await refuseUnready(deps);
        return { status: 'ready' };
      },
    }),
  ];
}

/** @param token the required bearer token; omitted on METRICS_PORT, which only operators can reach */
export function metricsRoute({ metrics }: Pick<OperationsDeps, 'metrics'>, token?: string): Route {
  return route('GET', '/metrics', {
    access: 'everybody',
    summary: 'Get Prometheus metrics; on PORT this requires METRICS_TOKEN as bearer token',
    refusalLimit: { perMinute: 60, by: 'address' },
    errors: ['unauthenticated'],
    answer: { contentType: 'text/plain; version=0.0.4; charset=utf-8' },
    handle: async ({ request }) => {
      const given = request.headers.authorization ?? '';
      if (token !== undefined && !isSameSecret(given, `Bearer ${token}`))
        throw new AppError('unauthenticated', { detail: 'Send METRICS_TOKEN as bearer token.' });
      return metrics.metrics();
    },
  });
}

async function refuseUnready({
  checkReady,
  drainNotice,
  disk,
}: Omit<OperationsDeps, 'metrics'>): Promise<void> {
  if (drainNotice.read())
    throw new AppError('try_again', { detail: 'The process is draining.', retryAfterSeconds: 5 });
  const full = disk.problem();
  if (full !== undefined) throw storageFull(full);
  try {
    await checkReady();
  } catch (error) {
    const cause = outageCause(error);
    throw new AppError('try_again', {
      detail: `The database or the queue does not answer${cause === undefined ? '' : `: ${cause}`}.`,
      retryAfterSeconds: 2,
      cause: error,
    });
  }
}
