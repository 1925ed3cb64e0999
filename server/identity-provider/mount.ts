import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitRate } from '#platform/http/chain/rate-limit.ts';
import type { IdentityProvider } from './identity-provider.ts';

const mountPath = '/oidc';

/**
 * Passes every request under `/oidc`, except our own pages, unchanged to the library, which reads bodies itself. `/oidc` is outside
 * `/api`, so it receives no session cookies.
 */
export async function mountIdentityProvider(
  app: FastifyInstance,
  identityProvider: IdentityProvider,
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    const rest = {
      method: ['GET', 'POST'],
      schema: { hide: true },
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        reply.hijack();
        // The headers of every answer; a hijacked reply does not send them itself.
        for (const [name, value] of Object.entries(reply.getHeaders()))
          reply.raw.setHeader(name, value ?? '');
        const { url } = request.raw;
        // Restores the URL for the access log, which runs next.
        reply.raw.prependOnceListener('finish', () => Object.assign(request.raw, { url }));
        setPublicHost(identityProvider.publicUrl, request.raw);
        await identityProvider.answer(request.raw, reply.raw);
      },
    };
    scope.route({ ...rest, url: `${mountPath}/*` });
    // Each request stores a sign-in for ten minutes, or a session for an hour.
    for (const path of ['auth', 'session/end'])
      scope.route({
        ...rest,
        url: `${mountPath}/${path}`,
        onRequest: limitRate({ perMinute: 120, by: 'address' }),
      });
  });
}

/**
 * Replaces host and protocol with the configured ones: the library builds URLs from them, and a request can forge them.
 */
function setPublicHost(publicUrl: string, request: IncomingMessage): void {
  const { host, protocol } = new URL(publicUrl);
  const originalUrl = request.url ?? '';
  request.headers.host = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  delete request.headers['x-forwarded-host'];
  Object.assign(request, { url: originalUrl.slice(mountPath.length), originalUrl });
}
