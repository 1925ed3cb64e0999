import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { errorCodes, type ErrorCode } from '#contract/base/errors.ts';
import { installApiPages } from './api-pages.ts';
import { errorResponses, problemExamples, problemSchema } from './documented-errors.ts';

/** The codes of a route, which the transformation of the document turns into responses. */
export const errorCodesKey = 'x-error-codes';
/** Marks a route that answers 304. */
export const polledKey = 'x-polled';

interface Operation {
  [errorCodesKey]?: ErrorCode[];
  [polledKey]?: true;
  responses?: Record<string, unknown>;
}

/** Serves OpenAPI 3.1 at `/openapi.json` and Swagger UI at `/docs`. Call before the routes are registered. */
export async function installApiReference(
  app: FastifyInstance,
  about: { version: string; baseUrl: string },
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
    transformObject: (document) => {
      const api = ('openapiObject' in document ? document.openapiObject : {}) as Document;
      const operations = Object.values(api.paths ?? {}).flatMap((path) => Object.values(path));
      const codes = new Set(operations.flatMap((operation) => operation[errorCodesKey] ?? []));
      for (const operation of operations) documentErrors(operation);
      return {
        ...api,
        components: {
          ...api.components,
          responses: { NotModified: notModified },
          examples: problemExamples([...codes]),
        },
      } as never;
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  installApiPages(app);
}

interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: object;
}

/** Of a route that is polled. */
const notModified = {
  description: 'Nothing changed since the answer with the `ETag` that `If-None-Match` names. Without a body.',
  headers: { ETag: { schema: { type: 'string' } } },
};

function documentErrors(operation: Operation): void {
  const { [errorCodesKey]: codes = [], [polledKey]: polled } = operation;
  delete operation[errorCodesKey];
  delete operation[polledKey];
  const notModified = polled ? { 304: { $ref: '#/components/responses/NotModified' } } : {};
  operation.responses = { ...operation.responses, ...notModified, ...errorResponses(codes) };
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
