import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';

/** How often one key may call a route. Each process counts separately. */
export type RateLimit = ({ perMinute: number } | { perSecond: number }) & {
  /** The client address, the signed-in user, or a key from the request. An undefined key is not counted. */
  by: 'address' | 'caller' | ((request: FastifyRequest) => string | undefined);
};

/** Keys stored per limit. The least recently used key is dropped, so that a flood of keys cannot fill memory. */
const maxKeys = 20_000;

/** Call before the first `limitRate` on a server. May be called repeatedly. */
export async function installRateLimits(app: FastifyInstance): Promise<void> {
  if (!app.hasDecorator('createRateLimit')) await app.register(rateLimit, { global: false });
}

/** The check of one limit. Runs after authentication, so that the caller is known, and before the body is read. */
export function limitRate(
  app: FastifyInstance,
  limit: RateLimit,
): (request: FastifyRequest) => Promise<void> {
  // The default key is the address, for IPv6 the network: one household has 2^64 addresses.
  const { by } = limit;
  const [max, unit, timeWindow] =
    'perMinute' in limit ? [limit.perMinute, 'minute', 60_000] : [limit.perSecond, 'second', 1000];
  const options = {
    max,
    timeWindow,
    cache: maxKeys,
    ...(by === 'address' ? {} : { keyGenerator: (request: FastifyRequest) => keyOf(request, by) ?? '' }),
  };
  const count = app.createRateLimit(options);
  return async (request) => {
    if (by === 'address') refuseClosed(request);
    else if (keyOf(request, by) === undefined) return;
    const counted = await count(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    throw new AppError('too_many_requests', {
      detail: `Rate limit exceeded (${max} per ${unit}). Retry in ${counted.ttlInSeconds} s.`,
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
