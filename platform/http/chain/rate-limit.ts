import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';

/** How often one key may call a route; counted in each process by itself. */
export type RateLimit = ({ perMinute: number } | { perSecond: number }) & {
  /** The client's address, the signed-in person, or what the route reads from the request; undefined is not counted. */
  by: 'address' | 'caller' | ((request: FastifyRequest) => string | undefined);
};

/** Keys remembered for each limit: beyond it the one unseen longest is forgotten, so that a flood cannot fill memory. */
const keysKept = 20_000;

/** Makes limits countable on this server; before whatever has any. May be called again. */
export async function installRateLimits(app: FastifyInstance): Promise<void> {
  if (!app.hasDecorator('createRateLimit')) await app.register(rateLimit, { global: false });
}

/** The check of one limit: runs after authenticate, so that the caller is known, and before the body is read. */
export function limitRate(
  app: FastifyInstance,
  limit: RateLimit,
): (request: FastifyRequest) => Promise<void> {
  // Without a generator of its own it counts by address, IPv6 by network: a household has 2^64 addresses.
  const { by } = limit;
  const [max, unit, timeWindow] =
    'perMinute' in limit ? [limit.perMinute, 'minute', 60_000] : [limit.perSecond, 'second', 1000];
  const options = {
    max,
    timeWindow,
    cache: keysKept,
    ...(by === 'address' ? {} : { keyGenerator: (request: FastifyRequest) => keyOf(request, by) ?? '' }),
  };
  const count = app.createRateLimit(options);
  return async (request) => {
    if (by === 'address') refuseClosed(request);
    else if (keyOf(request, by) === undefined) return;
    const counted = await count(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    throw new AppError('too_many_requests', {
      detail: `At most ${max} of these a ${unit}. Wait ${counted.ttlInSeconds} s, then try again.`,
      retryAfterSeconds: counted.ttlInSeconds,
    });
  };
}

/** A client that has closed its connection has no address to count, and gets no answer. */
function refuseClosed({ ip }: { ip: string | undefined }): void {
  if (ip === undefined) throw new AppError('invalid_request', { detail: 'The connection is closed.' });
}

function keyOf(request: FastifyRequest, by: Exclude<RateLimit['by'], 'address'>): string | undefined {
  return by === 'caller' ? request.caller?.userId : by(request);
}
