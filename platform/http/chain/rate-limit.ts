import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';
import { addressKey, makeRateLimiter } from './rate-limiter.ts';

/** How often one key may call a route. Each process counts separately. */
export type RateLimit = ({ perMinute: number } | { perSecond: number }) & {
  /** The client address, the caller (a person together with their API tokens), or a key from the request. An undefined key is not counted. */
  by: 'address' | 'caller' | ((request: FastifyRequest) => string | undefined);
  /** Answers tell the client what remains, in the headers `RateLimit` and `RateLimit-Policy`. */
  isAnnounced?: true;
};

type Check = (request: FastifyRequest, reply?: FastifyReply) => Promise<void>;

/** The check of one limit. Runs after authentication, so that the caller is known, and before the body is read. */
export function limitRate(limit: RateLimit): Check {
  return makeLimit(limit).count;
}

/** A limit of which something else than the arrival of a request counts. */
export function makeLimit(limit: RateLimit): {
  /** Counts the request. @throws AppError when the limit is exceeded */
  count: Check;
  /** Counts nothing. @throws AppError when the limit is reached */
  refuse(request: FastifyRequest): void;
} {
  const [max, unit, windowMs] =
    'perMinute' in limit ? [limit.perMinute, 'minute', 60_000] : [limit.perSecond, 'second', 1000];
  const limiter = makeRateLimiter(max, windowMs);
  const exceeded = (waitMs: number): AppError => {
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    return new AppError('too_many_requests', {
      detail: `Rate limit exceeded (${max} per ${unit}). Retry in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    });
  };
  return {
    count: async (request, reply) => {
      const key = keyOf(request, limit.by);
      if (key === undefined) return;
      const waitMs = limiter.count(key);
      if (limit.isAnnounced) {
        // https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
        const { calls, ms } = limiter.remaining(key);
        reply?.header('ratelimit-policy', `"default";q=${max};w=${windowMs / 1000}`);
        reply?.header('ratelimit', `"default";r=${calls};t=${Math.ceil(ms / 1000)}`);
      }
      if (waitMs !== undefined) throw exceeded(waitMs);
    },
    refuse: (request) => {
      const key = keyOf(request, limit.by);
      if (key === undefined) return;
      const { calls, ms } = limiter.remaining(key);
      if (calls === 0) throw exceeded(ms);
    },
  };
}

function keyOf(request: FastifyRequest, by: RateLimit['by']): string | undefined {
  if (by === 'caller') return request.caller?.userId;
  if (by !== 'address') return by(request);
  // A client that has closed its connection has no address to count, and gets no answer.
  const ip: string | undefined = request.ip;
  if (ip === undefined) throw new AppError('invalid_request', { detail: 'The connection is closed.' });
  return addressKey(ip);
}
