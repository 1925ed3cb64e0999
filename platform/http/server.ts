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
import { boundClose } from './bound-close.ts';
import { pathOf } from './chain/canonical-path.ts';
import { answerError } from './error-response.ts';
import { hasOneHost } from './chain/one-host.ts';
import { answerUnreadable } from './unreadable-request.ts';
import { installJsonBodies } from './bodies/json-body.ts';
import { compileSerializer } from './serialization.ts';
import { nothingAt } from './chain/unknown-paths.ts';
import { compileValidator } from './validation.ts';

/** Bodies of API requests; webhooks state a limit of their own. */
const apiBodyMaxBytes = 256 * 1024;

/** A forge waits ten seconds for its answer, and nobody waits longer for one. */
const longestCloseMs = 10_000;

export interface HttpServerOptions {
  trustedProxies?: string[];
  /** What is in hand when the server closes is cut off after it; after ten seconds when left out, or when it is longer. */
  closeWithinMs?: number;
}

/** An HTTP server without routes: limits, request ids, error answers, one log line a request. */
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
    http: { headersTimeout: 10_000, shouldUpgradeCallback: wantsSocket },
    frameworkErrors: (error, request, reply) => {
      // Thrown before any hook.
      reply.header('x-request-id', request.id);
      return answerError(error, request, reply);
    },
    clientErrorHandler: answerUnreadable,
    schemaController: {
      compilersFactory: {
        // Its type names the validator that Fastify would bring, which is not even loaded.
        buildValidator: () => validatorOf as never,
        buildSerializer: () => (route) => compileSerializer(route.schema as TSchema),
      },
    },
    // No path that Node takes is longer: what is no id is told by the route, as the contract has it.
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 16_384 },
  });
  // Node would answer 417 without a body. RFC 9110, 10.1.1 lets a server go on as if nothing were expected.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  boundClose(app, Math.min(closeWithinMs, longestCloseMs));
  app.removeContentTypeParser(['text/plain', 'application/json']);
  installJsonBodies(app);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw nothingAt(request);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('strict-transport-security', 'max-age=31536000');
    done(
      hasOneHost(request.raw)
        ? undefined
        : new AppError('invalid_request', { detail: 'Send the header Host once.' }),
    );
  });
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode;
    done();
    if (status < 400 && !log.isLevelEnabled('debug')) return;
    // The path alone: queries carry codes and tokens.
    request.log[status >= 400 ? 'info' : 'debug'](
      { method: request.method, path: pathOf(request.url), status, ms: Math.round(reply.elapsedTime) },
      'request',
    );
  });
  return app;
}

/** Clients that speak HTTP/2 as well offer it with each request, as Java's does: who does not take it up answers as ever. */
const wantsSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

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
