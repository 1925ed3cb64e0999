import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifySchemaCompiler,
} from 'fastify';
import type { TSchema } from 'typebox';
import type { Socket } from 'node:net';
import fastJsonStringify from 'fast-json-stringify';
import { type ErrorCode, errorCodes } from '#contract/base/errors.ts';
import { AppError } from '../runtime/app-error.ts';
import type { Log } from '../runtime/log.ts';
import { makeFailureLog } from '../runtime/tasks/failure-log.ts';
import { BoundedMessage, boundReads } from './listening/bound-reads.ts';
import { pathOf } from './chain/canonical-path.ts';
import { answerError, problemOf } from './error-response.ts';
import { hasOneHost } from './chain/one-host.ts';
import { installJsonBodies } from './bodies/json-body.ts';
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
    // What is behind the server stops after it.
    return503OnClosing: false,
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

/**
 * Limits the time a server takes to close. Node waits for each connection with a request or WebSocket, and a closing
 * server does not apply its request time-outs. Connections left after `withinMs` are terminated.
 */
function boundClose(app: FastifyInstance, withinMs: number): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, withinMs).unref();
    done();
  });
}

/** Serializes only the fields that the schema names. Compiles the schema at the first response. */
function compileSerializer(schema: TSchema): (value: unknown) => string {
  let compiled: ((value: unknown) => string) | undefined;
  return (value) => (compiled ??= fastJsonStringify(schema))(value);
}

/** Answers invalid or too long HTTP requests on the socket itself, because there is no request object yet. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [code, detail] = unreadable[error.code ?? ''] ?? notHttp;
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(new AppError(code, { detail }), requestId));
  const head = [
    `HTTP/1.1 ${errorCodes[code].status} ${errorCodes[code].title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  // Destroys the socket even if the client never closes its side.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Error codes of Node's HTTP parser, and ours. */
const unreadable: Record<string, [ErrorCode, string] | undefined> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'Send fewer or shorter headers and cookies.'],
  COSTLY_REQUEST: ['invalid_request', 'Send the body in larger pieces, and one request at a time.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'Send the request again.'],
};

const notHttp: [ErrorCode, string] = ['invalid_request', 'The request is not valid HTTP.'];
