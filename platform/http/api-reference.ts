import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { errorCodes } from '#contract/base/errors.ts';
import { installApiPages } from './api-pages.ts';

const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCodes) },
    requestId: { type: 'string', format: 'uuid' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } },
    },
  },
} as const;

/** Serves OpenAPI 3.1 at `/openapi.json` and Swagger UI at `/docs`. Call before the routes are registered. */
export async function installApiReference(
  app: FastifyInstance,
  about: { version: string; baseUrl: string },
): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true,
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Forgewatch', version: about.version, description: description() },
      servers: [{ url: about.baseUrl }],
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'accessToken' },
          token: { type: 'http', scheme: 'bearer', bearerFormat: 'fw_…' },
        },
        responses: {
          Problem: {
            description: 'Error; `code` gives the reason',
            content: { 'application/problem+json': { schema: problem } },
          },
        } as never,
      },
    },
    transformObject: (document) => {
      const api = 'openapiObject' in document ? document.openapiObject : {};
      for (const path of Object.values((api as { paths?: Record<string, object> }).paths ?? {}))
        for (const operation of Object.values(path) as { responses?: Record<string, unknown> }[])
          operation.responses = {
            ...operation.responses,
            default: { $ref: '#/components/responses/Problem' },
          };
      return api as never;
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  installApiPages(app);
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
