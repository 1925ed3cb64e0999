import type { FastifyRequest } from 'fastify';
import type { TokenScope } from '#contract/members/api-tokens.ts';
import { pathOf } from '#platform/http/chain/canonical-path.ts';
import { AppError } from '#platform/runtime/app-error.ts';

/**
 * The check of an API token before the check of the role: the route must accept it, and the token must have the scope. Reading
 * requires `read` or `write`, every method except GET `write`. A scope of the route's own suffices, and is required unless the route
 * reads. Writes an audit line for each change.
 */
export function checkTokenUse(
  credentials: readonly ('session' | 'token')[],
  isOfPerson: boolean,
  ownScope?: TokenScope,
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
    const isReading = method === 'GET' || method === 'HEAD' || request.routeOptions.config.isReading === true;
    const needed = isReading ? 'read' : (ownScope ?? 'write');
    if (![needed, ownScope, 'write'].some((scope) => token.scopes.includes(String(scope)))) {
      throw new AppError('insufficient_scope', {
        detail: `${method} on this path requires an API token with the scope ${needed}.`,
      });
    }
    if (isReading) return;
    const path = pathOf(request.raw.url ?? '');
    const { tokenId } = token;
    request.log.info(
      { audit: 'token-used', tokenId, userId: caller?.userId, method, path, ip },
      'API token used to change data',
    );
  };
}
