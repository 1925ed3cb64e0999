import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { limitRate } from '../chain/rate-limit.ts';
import { unknownPath, unknownPathLimit } from '../chain/unknown-paths.ts';

/** Allows only own files. Swagger UI also uses `data:` icons and inline styles. */
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Headers that pass between a client and the pages. */
const requestHeaders = ['if-none-match', 'if-modified-since'];
const responseHeaders = [
  'cache-control',
  'content-security-policy',
  'content-type',
  'etag',
  'last-modified',
  'location',
];

/**
 * Serves Swagger UI at `/docs`. It is loaded with the first request, because few processes serve any. Fastify accepts no plugins after
 * its start, so the pages are an app of their own, which is asked in memory.
 */
export function installApiPages(app: FastifyInstance): void {
  let pages: Promise<FastifyInstance> | undefined;
  const open = (): Promise<FastifyInstance> =>
    (pages ??= makePages(app.swagger()).catch((error: unknown) => {
      pages = undefined;
      throw error;
    }));
  const countUnknown = limitRate(unknownPathLimit);
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<Buffer> => {
    const asked = { url: request.url, headers: pick(request.headers, requestHeaders) };
    const { statusCode, headers, rawPayload } = await (await open()).inject(asked);
    if (statusCode === 404) {
      await countUnknown(request);
      throw unknownPath(request);
    }
    reply.code(statusCode).headers(pick(headers, responseHeaders));
    return rawPayload;
  };
  for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true } }, answer);
}

function pick<Value>(headers: Record<string, Value>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

async function makePages(document: object): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const pages = Fastify();
  await pages.register(swagger, { mode: 'static', specification: { document: document as never } });
  await pages.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    uiConfig: { url: '/openapi.json', docExpansion: 'list' },
    theme: {
      title: 'Forgewatch API',
      css: [{ filename: 'page.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
  return pages;
}
