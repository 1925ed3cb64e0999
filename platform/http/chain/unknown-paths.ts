import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';
import { pathOf } from './canonical-path.ts';
import { limitRate, type RateLimit } from './rate-limit.ts';

/** Who mistypes an address does so a few times. */
export const unknownPathLimit: RateLimit = { perMinute: 60, by: 'address' };

export function nothingAt({ method, url }: FastifyRequest): AppError {
  return new AppError('not_found', {
    detail: `There is nothing at ${method} ${pathOf(url).slice(0, 200)}.`,
  });
}

/**
 * Counts requests for what there is not by the client's address. Comes before whoever calls is found out, and needs
 * `installRateLimits`.
 */
export function countUnknownPaths(app: FastifyInstance): void {
  const count = limitRate(app, unknownPathLimit);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) count(request).then(() => done(), done);
    else done();
  });
}

/** Answers that there is nothing, before a body is read. Comes last among the hooks of a request. */
export function refuseUnknownPaths(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? nothingAt(request) : undefined);
  });
}
