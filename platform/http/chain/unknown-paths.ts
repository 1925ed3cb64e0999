import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';
import { pathOf } from './canonical-path.ts';
import { limitRate, type RateLimit } from './rate-limit.ts';

/** Allows typing errors and stops scanners. */
export const unknownPathLimit: RateLimit = { perMinute: 60, by: 'address' };

export function unknownPath({ method, url }: FastifyRequest): AppError {
  return new AppError('not_found', {
    detail: `No route for ${method} ${pathOf(url).slice(0, 200)}.`,
  });
}

/** Limits requests to unknown paths by client address. Runs before authentication. */
export function countUnknownPaths(app: FastifyInstance): void {
  const count = limitRate(unknownPathLimit);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) count(request).then(() => done(), done);
    else done();
  });
}

/** Answers 404 before the body is read. Must be the last hook of a request. */
export function refuseUnknownPaths(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? unknownPath(request) : undefined);
  });
}
