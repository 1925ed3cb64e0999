import type { FastifyRequest } from 'fastify';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Protects against CSRF. A state-changing request with an `Origin` must name an allowed one. Without `Origin` it passes
 * unless `Sec-Fetch-Site` says that another site sent it.
 */
export function mayChangeState(
  request: Pick<FastifyRequest, 'method' | 'headers'>,
  allowedOrigins: readonly string[],
): boolean {
  if (safeMethods.has(request.method)) return true;
  const { origin } = request.headers;
  if (origin !== undefined) return allowedOrigins.includes(origin);
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
