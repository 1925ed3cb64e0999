import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifySchemaCompiler,
} from 'fastify';
import type { TSchema } from 'typebox';
import { AppError } from '../runtime/app-error.ts';
import type { Log } from '../runtime/log.ts';
import { makeFailureLog } from '../runtime/tasks/failure-log.ts';
import { boundClose } from './listening/bound-close.ts';
import { BoundedMessage, boundReads } from './listening/bound-reads.ts';
import { pathOf } from './chain/canonical-path.ts';
import { answerError } from './error-response.ts';
import { hasOneHost } from './chain/one-host.ts';
import { answerUnreadable } from './unreadable-request.ts';
import { installJsonBodies } from './bodies/json-body.ts';
import { compileSerializer } from './serialization.ts';
import { unknownPath } from './chain/unknown-paths.ts';
import { compileValidator } from './validation.ts';

/** Limit for API requests. Webhook routes set their own. */
const apiBodyMaxBytes = 256 * 1024;

/** GitHub waits ten seconds for the response to a webhook. No other client needs longer. */
const longestCloseMs = 10_000;

export interface HttpServerOptions {
  trustedProxies?: string[];
  /** Requests in progress are terminated after this time when the server closes, and at the latest after ten seconds. */
  closeWithinMs?: number;
}

/** An HTTP server without routes: limits, request IDs, error responses, one log line per request. */
export function makeHttpServer(
  log: Log,
  { trustedProxies = [], closeWithinMs = longestCloseMs }: HttpServerOptions = {},
): FastifyInstance {
  const app = Fastify({
    ...(trustedProxies.length === 0 ? {} : { trustProxy: trustedProxies }),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: apiBodyMaxBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    requestTimeout: 120_000,
    http: nodeOptions,
    // Clients of the Model Context Protocol are configured with either spelling.
    rewriteUrl: ({ url = '' }) => (url === '/mcp/' ? '/mcp' : url),
    frameworkErrors: (error, request, reply) => {
      // These errors are thrown before the hooks run.
      reply.header('x-request-id', request.id);
      return answerError(error, request, reply);
    },
    clientErrorHandler: answerUnreadable,
    schemaController: {
      compilersFactory: {
        // The type refers to Fastify's default validator, which is not loaded.
        buildValidator: () => validatorOf as never,
        buildSerializer: () => (route) => compileSerializer(route.schema as TSchema),
      },
    },
    // Longer than any path that Node accepts, so that the route itself reports an invalid ID.
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 16_384 },
  });
  // Node would answer 417 without a body. RFC 9110, section 10.1.1 allows a server to ignore the expectation.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  boundReads(app.server, answerUnreadable, trustedProxies);
  boundClose(app, Math.min(closeWithinMs, longestCloseMs));
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw unknownPath(request);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('strict-transport-security', 'max-age=31536000');
    // Also for requests that are refused before the step that reads the origin.
    reply.header('vary', 'Origin');
    done(
      hasOneHost(request.raw)
        ? undefined
        : new AppError('invalid_request', { detail: 'Send exactly one Host header.' }),
    );
  });
  app.removeContentTypeParser(['text/plain', 'application/json']);
  installJsonBodies(app);
  logRequests(app, log);
  return app;
}

function logRequests(app: FastifyInstance, log: Log): void {
  const outages = makeFailureLog(log, { message: 'request failed, database or queue is away' });
  app.decorate('outages', outages);
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode;
    done();
    if (status < 400) outages.succeeded();
    if (status < 400 && !log.isLevelEnabled('debug')) return;
    // Only the path, because queries contain authorization codes and tokens.
    request.log[status >= 400 ? 'info' : 'debug'](
      { method: request.method, path: pathOf(request.url), status, ms: Math.round(reply.elapsedTime) },
      'request',
    );
  });
}

const nodeOptions = {
  IncomingMessage: BoundedMessage,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  // Node would answer a request without Host by itself, without a request ID.
  requireHostHeader: false,
  shouldUpgradeCallback: wantsSocket,
};

/** Java's HTTP client offers an upgrade to HTTP/2 (h2c) with each request. Such offers are ignored (RFC 9110, section 7.8). */
function wantsSocket(request: IncomingMessage): boolean {
  const isUpgrade = request.headers.upgrade?.toLowerCase() === 'websocket';
  if (request instanceof BoundedMessage) request.isUpgrade = isUpgrade;
  return isUpgrade;
}

const validatorOf: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
  const part = httpPart === 'querystring' ? 'query' : (httpPart as 'params' | 'body');
  const check = compileValidator(part, schema as TSchema);
  return (value: unknown) => {
    try {
      return { value: check(value) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};
