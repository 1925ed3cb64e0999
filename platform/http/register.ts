import etag from '@fastify/etag';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { ErrorCode } from '#contract/base/errors.ts';
import { actAs } from '../database/acting-user.ts';
import { AppError, isRefusal } from '../runtime/app-error.ts';
import { answersKey, type Answers } from './api-reference/api-reference.ts';
import { errorsOf } from './api-reference/documented-errors.ts';
import { answerError, noteError } from './error-response.ts';
import { limitRate } from './chain/rate-limit.ts';
import { BodyRefused, makeRawBodies, type RawBodies } from './bodies/raw-bodies.ts';
import { acceptNoBody } from './bodies/no-body.ts';
import type { AccessRules, Route } from './route.ts';

/**
 * Registers a route table. The access column becomes a check that runs before the body is read. The schemas become
 * validation, serialization and documentation.
 */
export async function registerRoutes<Access>(
  app: FastifyInstance,
  routes: readonly Route<Access>[],
  rules: AccessRules<Access>,
  bodies: RawBodies = makeRawBodies(),
): Promise<void> {
  const countCaller = rules.callerLimit && limitRate(rules.callerLimit);
  const raw = routes.filter((row) => row.rawBodyMaxBytes !== undefined);
  const others = routes.filter((row) => row.rawBodyMaxBytes === undefined);
  for (const row of others.filter(takesJson)) addRoute(app, row, rules, countCaller);
  await app.register(async (scope) => {
    acceptNoBody(scope);
    for (const row of others)
      if (!takesJson(row) && !isPolled(row, rules)) addRoute(scope, row, rules, countCaller);
  });
  // A scope of its own, so that no other route pays for the hook. Weak, because compression changes the bytes.
  await app.register(async (scope) => {
    acceptNoBody(scope);
    await scope.register(etag, { weak: true });
    for (const row of others) if (isPolled(row, rules)) addRoute(scope, row, rules, countCaller);
  });
  for (const row of raw) {
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', bodies.reader(row.rawBodyMaxBytes ?? 0));
      addRoute(scope, row, rules, countCaller, bodies.hold);
    });
  }
}

/** Programs read these routes again and again, so their answers have an `ETag`. */
function isPolled<Access>(row: Route<Access>, rules: AccessRules<Access>): boolean {
  if (row.method !== 'GET' || row.isConfidential) return false;
  return row.isPolled === true || rules.credentials(row.access).includes('token');
}

type Check = (request: FastifyRequest, reply?: FastifyReply) => Promise<void>;

function addRoute<Access>(
  app: FastifyInstance,
  row: Route<Access>,
  rules: AccessRules<Access>,
  countCaller: Check | undefined,
  holdBody?: RawBodies['hold'],
): void {
  if (
    row.body !== undefined &&
    (row.body as { additionalProperties?: unknown }).additionalProperties !== false
  ) {
    throw new Error(`${row.method} ${row.path}: a body schema must refuse unknown fields`);
  }
  const limits = (row.rateLimits ?? []).map((limit) => limitRate(limit));
  const guard = rules.guard(row.access);
  const credentials = rules.credentials(row.access);
  const ofCaller = credentials.length > 0 ? [requireCaller, countCaller] : [];
  const checks = [...ofCaller, ...limits, guard].filter((check) => check !== undefined);
  app.route({
    method: row.method,
    url: row.path,
    config: {
      takesBasic: row.takesBasic === true && row.method === 'GET',
      isReading: row.isReading === true,
    },
    ...(row.onBodyRefused === undefined ? {} : { errorHandler: reportRefusedBody(row.onBodyRefused) }),
    ...(row.failurePage === undefined ? {} : { errorHandler: showFailure(row.failurePage) }),
    ...(checks.length === 0 ? {} : { onRequest: checks }),
    // Secrets are not compressed, because the compressed length leaks them (BREACH, CVE-2013-3587), and not cached.
    ...(row.isConfidential ? { compress: false, onSend: forbidCaching } : {}),
    schema: schemaOf(row, rules),
    handler: handlerOf(row, isPolled(row, rules), holdBody),
  });
}

function schemaOf<Access>(row: Route<Access>, rules: AccessRules<Access>) {
  return {
    operationId: operationIdOf(row),
    summary: row.summary,
    description: rules.describe(row.access),
    tags: [tagOf(row.path)],
    security: rules.credentials(row.access).map((name) => ({ [name]: [] })),
    [answersKey]: {
      errors: errorsOf(row, rules),
      oauthErrors: row.oauthErrors ?? [],
      isPolled: isPolled(row, rules),
      contentType: row.answer?.contentType,
    } satisfies Answers,
    ...(row.params === undefined ? {} : { params: row.params }),
    ...(row.query === undefined ? {} : { querystring: row.query }),
    ...(row.body === undefined ? {} : { body: row.body }),
    ...responseSchema(row),
  };
}

function handlerOf<Access>(row: Route<Access>, polled: boolean, holdBody: RawBodies['hold'] | undefined) {
  const countRefusal = row.refusalLimit && limitRate(row.refusalLimit);
  const status = row.answer?.status ?? 200;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    reply.code(status);
    if (row.answer?.contentType !== undefined) reply.type(row.answer.contentType);
    // A program may keep its own answers, if it asks each time. Browsers keep nothing of a person.
    if (polled && request.caller?.token !== undefined) reply.header('cache-control', 'private, no-cache');
    const { params, query, body } = request;
    const withinMs = row.answerWithinMs;
    const onEnd = holdBody?.(body);
    const work = actAs(request.caller, () =>
      row.handle({ caller: request.caller, params, query, body, request, reply }),
    );
    const answer = withinMs === undefined ? work : answerWithin(withinMs, work, onEnd);
    const release = withinMs === undefined ? onEnd : undefined;
    if (release === undefined && countRefusal === undefined) return answer;
    // One `then` for both: another promise measurably reduces the number of webhooks per second.
    return answer.then(
      (value) => {
        release?.();
        // A page that reports a refusal is sent, not thrown.
        if (countRefusal !== undefined && reply.statusCode === 401)
          return countRefusal(request).then(() => value);
        return value;
      },
      async (error: unknown) => {
        release?.();
        if (countRefusal !== undefined && isRefusal(error)) await countRefusal(request);
        throw error;
      },
    );
  };
}

/** Second check after the chain, in case the chain takes the path for a public one. */
async function requireCaller({ caller }: FastifyRequest): Promise<void> {
  if (caller === undefined) throw new AppError('unauthenticated', { detail: 'Sign in to continue.' });
}

/** Documents an empty body for a status other than 200 without a schema, and the redirect to a failure page. */
function responseSchema<Access>(row: Route<Access>): { response?: Record<number, TSchema> } {
  const { status = 200, schema, redirect, accepts } = row.answer ?? {};
  const failure = Type.Null({ description: 'Redirects a browser to a page that explains the error' });
  const response: Record<number, TSchema> = row.failurePage === undefined ? {} : { 302: failure };
  if (redirect !== undefined) response[redirect] = Type.Null({ description: 'Redirects the browser' });
  if (accepts) response[202] = Type.Null({ description: 'Accepted' });
  if (schema !== undefined) response[status] = schema;
  else if (status !== 200) response[status] = Type.Null({ description: 'Nothing' });
  return Object.keys(response).length === 0 ? {} : { response };
}

function takesJson<Access>({ body }: Route<Access>): boolean {
  return body !== undefined;
}

/** A body refused while it is read never reaches the handler. */
function reportRefusedBody(tell: (request: FastifyRequest, code: ErrorCode) => void) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof BodyRefused) tell(request, error.code);
    return answerError(error, request, reply);
  };
}

/** Redirects with the error code only, because URLs end up in logs and histories. */
function showFailure(pageOf: (code: ErrorCode) => string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!(request.headers.accept ?? '').includes('text/html')) return answerError(error, request, reply);
    return reply.redirect(pageOf(noteError(error, request).code), 302);
  };
}

async function forbidCaching(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
}

/**
 * Name of the operation in generated clients, such as `getIntegrationWorkflowsByRunId`. Derived from method and path, so that
 * it is unique and changes only with them.
 */
function operationIdOf<Access>({ method, path }: Route<Access>): string {
  const words = path
    .replace(/^\/api\/integrations\/:integrationId/, '/integration')
    .replace(/^\/api\//, '/')
    .replaceAll('/:', '/by-')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  return method.toLowerCase() + words.map(capital).join('');
}

/** Section of the API reference, derived from the path. */
function tagOf(path: string): string {
  const [first = '', second, , fourth] = path.split('/').slice(1);
  return first === 'api' ? (fourth ?? second ?? first) : 'operations';
}

/**
 * Rejects with `try_again` when `work` needs longer. The work continues. `onEnd` is called when it ends, however late.
 * One `then` for all: another promise measurably reduces the number of webhooks per second.
 */
function answerWithin<T>(ms: number, work: Promise<T>, onEnd: (() => void) | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      const detail = 'The server needs too long. Send the request again later.';
      reject(new AppError('try_again', { detail, retryAfterSeconds: 5 }));
    }, ms);
    const end = (): void => {
      clearTimeout(late);
      onEnd?.();
    };
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error as Error);
      },
    );
  });
}
