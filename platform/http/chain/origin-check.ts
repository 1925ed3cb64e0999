import type { FastifyRequest } from 'fastify';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The CSRF rule (specification 5.5, A-36): a state-changing request that names an origin must name an allowed one;
 * without `Origin` it passes unless the browser itself says that it comes from another site.
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
