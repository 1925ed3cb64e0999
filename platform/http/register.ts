import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Route } from './route.ts';

/** Refuses a caller by throwing; undefined when the row needs no check beyond the chain. */
export type Guard<Access> = (access: Access) => ((request: FastifyRequest) => Promise<void>) | undefined;

/**
 * Puts a table of routes on the server: the access column becomes the check that runs before the body is looked at,
 * the schemas become validation, serialisation and documentation.
 */
export async function registerRoutes<Access>(
  app: FastifyInstance,
  routes: readonly Route<Access>[],
  guard: Guard<Access>,
): Promise<void> {
  const plain = routes.filter((row) => row.rawBodyMaxBytes === undefined);
  const raw = routes.filter((row) => row.rawBodyMaxBytes !== undefined);
  for (const row of plain) addRoute(app, row, guard);
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const row of raw) addRoute(scope, row, guard);
  });
}

function addRoute<Access>(app: FastifyInstance, row: Route<Access>, guard: Guard<Access>): void {
  if (
    row.body !== undefined &&
    (row.body as { additionalProperties?: unknown }).additionalProperties !== false
  ) {
    throw new Error(`${row.method} ${row.path}: a body schema must refuse unknown fields`);
  }
  const check = guard(row.access);
  const status = row.answer?.status ?? 200;
  app.route({
    method: row.method,
    url: row.path,
    ...(row.rawBodyMaxBytes === undefined ? {} : { bodyLimit: row.rawBodyMaxBytes }),
    ...(check === undefined ? {} : { onRequest: check }),
    schema: {
      summary: row.summary,
      ...(row.params === undefined ? {} : { params: row.params }),
      ...(row.query === undefined ? {} : { querystring: row.query }),
      ...(row.body === undefined ? {} : { body: row.body }),
      ...(row.answer?.schema === undefined ? {} : { response: { [status]: row.answer.schema } }),
    },
    handler: async (request, reply) => {
      reply.code(status);
      if (row.answer?.contentType !== undefined) reply.type(row.answer.contentType);
      const { params, query, body } = request;
      return row.handle({ params, query, body, request, reply });
    },
  });
}
