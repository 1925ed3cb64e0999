import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitRate } from '#platform/http/chain/rate-limit.ts';
import type { IdentityProvider } from './identity-provider.ts';

const mountPath = '/oidc';

/**
 * Hands every request under `/oidc` that is no page of ours to the provider, as it came. It reads bodies itself and
 * stands outside `/api`, so none of our cookies mean anything to it.
 */
export async function mountIdentityProvider(
  app: FastifyInstance,
  identityProvider: IdentityProvider,
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    const rest = {
      method: ['GET', 'POST', 'OPTIONS'],
      // The library answers a refused preflight itself.
      schema: { hide: true },
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        reply.hijack();
        // What every answer bears, since this one does not go the way of the others.
        for (const [name, value] of Object.entries(reply.getHeaders()))
          reply.raw.setHeader(name, value ?? '');
        const { url } = request.raw;
        // The access log, which hears of the end next, tells what was asked for.
        reply.raw.prependOnceListener('finish', () => Object.assign(request.raw, { url }));
        setPublicHost(identityProvider.publicUrl, request.raw);
        await identityProvider.answer(request.raw, reply.raw);
      },
    };
    scope.route({ ...rest, url: `${mountPath}/*` });
    // Each begins a sign-in, which the database remembers for ten minutes.
    scope.route({
      ...rest,
      url: `${mountPath}/auth`,
      onRequest: limitRate(scope, { perMinute: 120, by: 'address' }),
    });
  });
}

/**
 * Replaces host and protocol by the configured ones, since the library builds URLs from them and a request can forge
 * them.
 */
function setPublicHost(publicUrl: string, request: IncomingMessage): void {
  const { host, protocol } = new URL(publicUrl);
  const originalUrl = request.url ?? '';
  request.headers.host = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  delete request.headers['x-forwarded-host'];
  Object.assign(request, { url: originalUrl.slice(mountPath.length), originalUrl });
}
