import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
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
  const file = path.join(directory, 'index.html');
  const hashes = keepFile(file, hashesOfScripts);
  const sendPage = makePage(file);
  await app.register(async (scope) => {
    await scope.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'self'"],
          scriptSrc: ["'self'", () => hashes()?.content ?? ''],
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
      const sent = sendPage(request, reply);
      if (sent !== undefined) return sent;
      throw new AppError('not_found', { detail: 'The web app is not built. Run: npm run build' });
    });
  });
}

/** The hashes of the scripts in the page: https://www.w3.org/TR/CSP3/#grammardef-hash-source */
function hashesOfScripts(html: Buffer): string {
  return [...html.toString().matchAll(/<script>([^]*?)<\/script>/g)]
    .map(([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`)
    .join(' ');
}

interface KeptFile<T> {
  /** Differs for each content. */
  tag: string;
  content: T;
}

/** Reads a file again only when a build has replaced it. */
function keepFile<T>(file: string, read: (bytes: Buffer) => T): () => KeptFile<T> | undefined {
  let kept: KeptFile<T> | undefined;
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    const tag = `W/"${found?.size.toString(16)}-${found?.mtimeMs.toString(16)}"`;
    if (found === undefined) kept = undefined;
    else if (kept?.tag !== tag) kept = { tag, content: read(readFileSync(file)) };
    return kept;
  };
}

/** Sends the page from memory: anybody may request it as often as they like, and files take four turns of the event loop. */
function makePage(file: string): (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined {
  const asItIs = (bytes: Buffer): Buffer => bytes;
  const plain = keepFile(file, asItIs);
  const smaller = [
    ['br', keepFile(`${file}.br`, asItIs)],
    ['gzip', keepFile(`${file}.gz`, asItIs)],
  ] as const;
  return ({ headers }, reply) => {
    const accepted = acceptedEncodings(headers['accept-encoding']);
    const [encoding, read] = smaller.find(([name, find]) => accepted.has(name) && find()) ?? [
      undefined,
      plain,
    ];
    const page = read();
    if (page === undefined) return undefined;
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    reply
      .header('vary', 'accept-encoding')
      .header('cache-control', 'public, max-age=0')
      .header('etag', page.tag);
    if (headers['if-none-match'] === page.tag) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(page.content);
  };
}

/** RFC 9110, section 12.5.3. */
function acceptedEncodings(header: string | string[] = ''): Set<string> {
  const encodings = String(header)
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()));
  return new Set(
    encodings.filter(([, weight]) => !/^q=0(\.0{0,3})?$/.test(weight ?? '')).map(([name = '']) => name),
  );
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
