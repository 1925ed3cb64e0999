import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { signOutUrlHeader } from '#contract/members/identity.ts';
import { acceptUrlHeader, mailOutcomeHeader } from '#contract/members/invitations.ts';
import { AppError, isRefusal } from '../../runtime/app-error.ts';
import { isCanonicalPath, pathOf } from './canonical-path.ts';
import { mayChangeState } from './origin-check.ts';
import type { PublicPrefixes } from './public-prefixes.ts';
import type { Caller, Person } from '../route.ts';
import { countUnknownPaths, refuseUnknownPaths } from './unknown-paths.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | Person | undefined;
  }

  interface FastifyContextConfig {
    takesBasic?: boolean;
    isReading?: boolean;
  }
}

/**
 * Identifies the caller of a request outside the public prefixes: by a session or by an API token. Undefined without either.
 * @throws AppError for an API token that is not valid
 */
export type Authenticate = (request: FastifyRequest) => Promise<Caller | Person | undefined>;

/** Compared with the default 6: a third of the time (0.8 instead of 2.5 ms for 138 KB), a fifth more bytes. */
const gzipLevel = 1;

/** RFC 9110, section 12.5.3. The library takes "gzip;q=0, *" for any encoding. */
const excludesGzip = /gzip\s{0,9};\s{0,9}q=0(?:\.0{0,3})?\s{0,9}(?:,|$)/i;

export interface ChainOptions {
  allowedOrigins: readonly string[];
  isPublic: PublicPrefixes;
  /** Paths that read the cookies themselves, because they also accept ended sessions. The origin check still applies. */
  readsCookiesItself: (path: string) => boolean;
  authenticate: Authenticate;
}

/**
 * Installs the steps that each request passes before its handler, in order: path check, compression, CORS, rate limits,
 * cookies, authentication, origin check. Only routes under public prefixes skip authentication and the origin check.
 * See docs/architecture/request-chain.md.
 */
export async function installChain(app: FastifyInstance, options: ChainOptions): Promise<void> {
  app.addHook('onRequest', refuseAmbiguousPaths);
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    if (excludesGzip.test(headers['accept-encoding'] ?? '')) headers['accept-encoding'] = 'identity';
    done();
  });
  await app.register(compress, { threshold: 1024, encodings: ['gzip'], zlibOptions: { level: gzipLevel } });
  const corsOptions = {
    origin: true,
    credentials: true,
    exposedHeaders: ['x-request-id', 'retry-after', signOutUrlHeader, acceptUrlHeader, mailOutcomeHeader],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['content-type'],
    maxAge: 600,
    // An OPTIONS request without preflight headers is valid.
    strictPreflight: false,
  };
  await app.register(cors, {
    delegator: ({ headers: { origin } }: FastifyRequest, done) => {
      // The library compares origins too, but tells foreign ones the methods and headers.
      const isAllowed = origin !== undefined && options.allowedOrigins.includes(origin);
      done(null, isAllowed ? corsOptions : { origin: false });
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    // Also a foreign preflight, which has no credentials.
    if (request.method === 'OPTIONS') reply.code(204).send();
    else done();
  });
  countUnknownPaths(app);
  await app.register(cookie);
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const path = pathOf(request.raw.url ?? '');
    if (!isOfApi(path, options.isPublic)) return done();
    // Responses are personal: no shared or browser cache may store them.
    reply.header('cache-control', 'no-store');
    if (options.readsCookiesItself(path)) return done();
    const refuse = (error: Error): void => {
      if (isRefusal(error)) reply.header('www-authenticate', challengeOf(request));
      done(error);
    };
    options.authenticate(request).then((caller) => {
      request.caller = caller;
      if (caller === undefined) refuse(new AppError('unauthenticated', { detail: 'Sign in to continue.' }));
      else done();
    }, refuse);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const path = pathOf(request.raw.url ?? '');
    // Browsers never add an API token by themselves, so another site cannot use one.
    const isExempt = !isOfApi(path, options.isPublic) || request.caller?.token !== undefined;
    if (isExempt || mayChangeState(request, options.allowedOrigins)) done();
    else done(new AppError('origin_not_allowed', { detail: 'Add the origin to WEB_ORIGINS to allow it.' }));
  });
  refuseUnknownPaths(app);
}

/** RFC 9110, section 11.6.1: a 401 names how to authenticate. A browser asks for a password only at `Basic`. */
function challengeOf({ routeOptions: { config } }: FastifyRequest): string {
  return `${config.takesBasic === true ? 'Basic' : 'Bearer'} realm="Forgewatch"`;
}

// Synchronous hooks use callbacks: five promises per request would take a tenth of a webhook's time.
function refuseAmbiguousPaths(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const detail = 'Send the path without empty, dot or encoded segments and without characters outside ASCII.';
  done(isCanonicalPath(request.raw.url ?? '') ? undefined : new AppError('invalid_path', { detail }));
}

/** Only `/api` and `/mcp` require a caller. Pages, assets and operational endpoints are outside of them. */
function isOfApi(path: string, isPublic: PublicPrefixes): boolean {
  return (path.startsWith('/api/') || path === '/mcp') && !isPublic(path);
}
