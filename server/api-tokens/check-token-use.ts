import type { FastifyRequest } from 'fastify';
import { pathOf } from '#platform/http/chain/canonical-path.ts';
import { AppError } from '#platform/runtime/app-error.ts';

/**
 * The check of an API token before the check of the role: the route must accept it, and every method but GET requires the
 * scope `write`, except on a route that only reads. Writes an audit line for each change.
 */
export function checkTokenUse(
  credentials: readonly ('session' | 'token')[],
  isOfPerson: boolean,
): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const { caller, method, ip } = request;
    const token = caller?.token;
    if (token === undefined) {
      if (credentials.includes('session')) return;
      throw new AppError('unauthenticated', { detail: 'Send an API token.' });
    }
    if (!credentials.includes('token'))
      throw new AppError('token_not_allowed', { detail: 'API tokens cannot use this route. Sign in.' });
    if (isOfPerson && token.owner === 'integration') {
      throw new AppError('token_not_allowed', {
        detail: 'API tokens of an integration cannot use this route. Use a personal token.',
      });
    }
    if (method === 'GET' || method === 'HEAD' || request.routeOptions.config.isReading === true) return;
    if (!token.mayWrite) {
      throw new AppError('insufficient_scope', {
        detail: `${method} requires an API token with the scope write.`,
      });
    }
    const path = pathOf(request.raw.url ?? '');
    const { tokenId } = token;
    request.log.info(
      { audit: 'token-used', tokenId, userId: caller?.userId, method, path, ip },
      'API token used to change data',
    );
  };
}
