import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { errorCodes, type ErrorCode } from '#contract/base/errors.ts';
import { installApiPages } from './api-pages.ts';
import { errorResponses, problemExamples, problemSchema, type SharedResponses } from './documented-errors.ts';
import { shareSchemas } from './shared-schemas.ts';

/** What the transformation of the document turns into responses. */
export const answersKey = 'x-answers';

export interface Answers {
  errors: readonly ErrorCode[];
  /** Answers 304. */
  isPolled: boolean;
  /** Of an answer that is not JSON. */
  contentType: string | undefined;
}

interface Operation {
  [answersKey]?: Answers;
  responses?: Record<string, object>;
}

/** Serves OpenAPI 3.1 at `/openapi.json` and Swagger UI at `/docs`. Call before the routes are registered. */
export async function installApiReference(
  app: FastifyInstance,
  about: { version: string; baseUrl: string; schemas: Readonly<Record<string, TSchema>> },
): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Forgewatch',
        version: about.version,
        description: description(),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as never,
      },
      servers: [{ url: about.baseUrl }],
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'accessToken' },
          token: { type: 'http', scheme: 'bearer', bearerFormat: 'fw_…' },
        },
        schemas: { Problem: problemSchema as never },
      },
    },
    transformObject: (document) =>
      ('openapiObject' in document
        ? documentAnswers(document.openapiObject as Document, about.schemas)
        : {}) as never,
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  installApiPages(app);
}

interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: object };
}

/** Of a route that is polled. */
const notModified = {
  description: 'Nothing changed since the answer with the `ETag` that `If-None-Match` names. Without a body.',
  headers: { ETag: { schema: { type: 'string' } } },
};

/** Adds the error answers, and moves what operations share to the components. */
function documentAnswers(api: Document, named: Readonly<Record<string, TSchema>>): Document {
  const operations = Object.values(api.paths ?? {}).flatMap((path) => Object.values(path));
  const codes = new Set(operations.flatMap((operation) => operation[answersKey]?.errors ?? []));
  const responses: SharedResponses = new Map();
  for (const operation of operations) documentAnswer(operation, responses);
  const { part: paths, schemas } = shareSchemas(api.paths ?? {}, named);
  const components = {
    ...api.components,
    schemas: { ...api.components?.schemas, ...schemas },
    responses: {
      NotModified: notModified,
      ...Object.fromEntries([...responses.values()].map(({ name, response }) => [name, response])),
    },
    examples: problemExamples([...codes]),
  };
  return { ...api, paths, components };
}

function documentAnswer(operation: Operation, responses: SharedResponses): void {
  const { errors = [], isPolled = false, contentType } = operation[answersKey] ?? {};
  delete operation[answersKey];
  const { 200: ok, ...others } = operation.responses ?? {};
  const text = contentType && {
    description: 'Default Response',
    content: { [contentType]: { schema: { type: 'string' } } },
  };
  operation.responses = {
    ...((ok ?? text) && { 200: { ...ok, ...text } }),
    ...others,
    ...(isPolled && { 304: { $ref: '#/components/responses/NotModified' } }),
    ...errorResponses(errors, responses),
  };
}

function description(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`,
  );
  return [
    'POST, PUT, PATCH and DELETE are refused with `origin_not_allowed` when `Origin` is not in `WEB_ORIGINS`. Without `Origin` they',
    'are accepted unless the browser sends `Sec-Fetch-Site: cross-site` or `same-site`.',
    'Webhooks and other routes without a session are exempt.',
    '',
    'Errors are RFC 9457 `application/problem+json`; `code` is stable:',
    '',
    '| code | status | |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}
