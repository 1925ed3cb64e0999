import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../runtime/app-error.ts';
import { limitRate } from './chain/rate-limit.ts';
import { unknownPath, unknownPathLimit } from './chain/unknown-paths.ts';

const built = path.join(import.meta.dirname, '../../dist/web');
/** The files of the build, whose names contain a hash of what is in them. */
const asset = /^assets\/[\w.-]+$/;

/**
 * Serves the built web app as it is on the disk, so that a new build needs no restart. All page URLs return index.html, because the app
 * routes in the browser. The content security policy allows only own files, the script that the build put into the page, avatars over
 * HTTPS and the WebSocket.
 */
export async function installWebSite(
  app: FastifyInstance,
  socketOrigin: string,
  directory = built,
): Promise<void> {
  const page = path.join(directory, 'index.html');
  await app.register(async (scope) => {
    await scope.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'self'"],
          scriptSrc: ["'self'", () => hashesOfScripts(page)],
          imgSrc: ["'self'", 'data:', 'https:'],
          connectSrc: ["'self'", socketOrigin],
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
          formAction: ["'self'"],
          objectSrc: ["'none'"],
        },
      },
      crossOriginEmbedderPolicy: false,
      hsts: { maxAge: 31_536_000 },
    });
    scope.addHook('onRequest', dropCorsHeaders);
    await scope.register(fastifyStatic, {
      root: directory,
      serve: false,
      immutable: true,
      maxAge: '1y',
      preCompressed: true,
    });
    const countUnknown = limitRate(unknownPathLimit);
    scope.get('/*', async (request, reply) => {
      const { '*': wanted } = request.params as { '*': string };
      if (asset.test(wanted) && existsSync(path.join(directory, wanted))) return reply.sendFile(wanted);
      if (!isPage(wanted, request.headers.accept)) {
        await countUnknown(request);
        throw unknownPath(request);
      }
      if (!existsSync(page))
        throw new AppError('not_found', { detail: 'The web app is not built. Run: npm run build' });
      return reply.sendFile('index.html', { immutable: false, maxAge: 0 });
    });
  });
}

/** The hashes of the scripts in the page: https://www.w3.org/TR/CSP3/#grammardef-hash-source */
function hashesOfScripts(page: string): string {
  const html = existsSync(page) ? readFileSync(page, 'utf8') : '';
  return [...html.matchAll(/<script>([^]*?)<\/script>/g)]
    .map(([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`)
    .join(' ');
}

const corsHeaders = [
  'vary',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
];

/**
 * Only pages of this origin use the files. With `Vary: Origin`, a browser would not use a cached file for the import of a
 * module, which sends that header, when it was fetched before without it.
 */
function dropCorsHeaders(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  for (const name of corsHeaders) reply.removeHeader(name);
  done();
}

/** Paths of the API and of files, which never return a page. */
const notPages = /^(api|oidc|docs|healthz|readyz|metrics|ws)(\/|$)|\.[a-z0-9]+$/i;

/** Only requests that accept HTML get a page. Other clients get 404 for an unknown path. */
function isPage(path: string, accept: string | undefined): boolean {
  if (path === '') return true;
  return !notPages.test(path) && (accept ?? '').includes('text/html');
}
