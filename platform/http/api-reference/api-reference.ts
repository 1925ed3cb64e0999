import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import Fastify from 'fastify';
import { errorCodes, type ErrorCode } from '#contract/base/errors.ts';
import { limitRate } from '../chain/rate-limit.ts';
import { unknownPath, unknownPathLimit } from '../chain/unknown-paths.ts';
import { addExamples, type DescribedOperation, type MediaType } from './documented-examples.ts';
import {
  errorResponses,
  oauthErrorSchema,
  problemExamples,
  problemSchema,
  type SharedResponses,
} from './documented-errors.ts';
import { makeExampleOf, type ExampleValues } from './example-of.ts';
import { shareSchemas } from './shared-schemas.ts';

/** What the transformation of the document turns into responses. */
export const answersKey = 'x-answers';

export interface Answers {
  errors: readonly ErrorCode[];
  /** Statuses of errors in the format of OAuth. */
  oauthErrors: readonly number[];
  /** Answers 304. */
  isPolled: boolean;
  /** Of an answer that is not JSON. */
  contentType: string | undefined;
}

interface Parameter {
  name: string;
  in: string;
}

interface Operation extends DescribedOperation {
  parameters?: (Parameter | { $ref: string })[];
  [answersKey]?: Answers;
  security?: object[];
}

type Paths = Record<string, Record<string, Operation>>;

export interface AboutApi {
  version: string;
  baseUrl: string;
  /** Schemas with a name of their own. */
  schemas: Readonly<Record<string, TSchema>>;
  examples: ExampleValues;
  /** Requests that the service sends. */
  webhooks: Readonly<Paths>;
}

/** Serves OpenAPI 3.1 at `/openapi.json` and Swagger UI at `/docs`. Call before the routes are registered. */
export async function installApiReference(app: FastifyInstance, about: AboutApi): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true,
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Forgewatch',
        version: about.version,
        description: description(),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as never,
      },
      servers: [{ url: about.baseUrl }],
      security: credentialsOfMost,
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'accessToken' },
          token: { type: 'http', scheme: 'bearer', bearerFormat: 'fw_…' },
        },
        schemas: { Problem: problemSchema as never, OAuthError: oauthErrorSchema as never },
      },
    },
    transformObject: (document) =>
      ('openapiObject' in document
        ? documentAnswers(document.openapiObject as Document, about)
        : {}) as never,
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  installApiPages(app);
}

/** Of an operation that does not name its own. */
const credentialsOfMost: Record<string, string[]>[] = [{ session: [] }, { token: [] }];

interface Document {
  paths?: Paths;
  components?: { schemas?: object };
}

/** Of a route that is polled. */
const notModified = {
  description: 'Nothing changed since the answer with the `ETag` that `If-None-Match` names. Without a body.',
  headers: { ETag: { schema: { type: 'string' } } },
};

/** Adds the error answers, examples and webhooks, and moves what operations share to the components. */
function documentAnswers(api: Document, { schemas: named, examples, webhooks }: AboutApi): Document {
  const operationsOf = (paths: Paths) => Object.values(paths).flatMap((path) => Object.values(path));
  const operations = operationsOf(api.paths ?? {});
  const responses: SharedResponses = new Map();
  for (const operation of operations) documentAnswer(operation, responses);
  const sent = structuredClone(webhooks);
  const shared = addExamples([...operations, ...operationsOf(sent)], makeExampleOf(examples, named));
  const { part, schemas } = shareSchemas({ paths: api.paths ?? {}, webhooks: sent }, named);
  const parameters = shareParameters(operationsOf(part.paths));
  const components = {
    ...api.components,
    schemas: { ...api.components?.schemas, ...schemas },
    parameters,
    responses: {
      NotModified: notModified,
      ...Object.fromEntries([...responses.values()].map(({ name, response }) => [name, response])),
    },
    examples: { ...problemExamples([...responses.values()].map(({ shown }) => shown)), ...shared },
  };
  return { ...api, paths: part.paths, webhooks: part.webhooks, components } as Document;
}

/** Replaces parameters that several operations take by references: the document stays small. Returns those that they share, by name. */
function shareParameters(operations: readonly Operation[]): Record<string, Parameter> {
  const all = operations.flatMap(({ parameters = [] }) => parameters.filter((each) => 'name' in each));
  const byText = Map.groupBy(all, (parameter) => JSON.stringify(parameter));
  const shared: Record<string, Parameter> = {};
  const names = new Map<string, string>();
  for (const [text, [parameter, ...others]] of byText) {
    if (parameter === undefined || others.length === 0) continue;
    const taken = Object.keys(shared).filter((name) => name.replace(/\d+$/, '') === parameter.name).length;
    const name = taken === 0 ? parameter.name : `${parameter.name}${taken + 1}`;
    shared[name] = parameter;
    names.set(text, name);
  }
  for (const operation of operations)
    operation.parameters = operation.parameters?.map((parameter) => {
      const name = names.get(JSON.stringify(parameter));
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    });
  return shared;
}

function documentAnswer(operation: Operation, responses: SharedResponses): void {
  const { errors = [], oauthErrors = [], isPolled = false, contentType } = operation[answersKey] ?? {};
  delete operation[answersKey];
  if (JSON.stringify(operation.security) === JSON.stringify(credentialsOfMost)) delete operation.security;
  for (const response of Object.values(operation.responses ?? {}))
    if (response.description === 'Default Response') response.description = 'Success';
  const { 200: ok, ...others } = operation.responses ?? {};
  const content: Record<string, MediaType> = contentType
    ? { [contentType]: { schema: { type: 'string' } } }
    : {};
  const text = contentType && { content };
  operation.responses = {
    ...((ok ?? text) && { 200: { description: 'Success', ...ok, ...text } }),
    ...others,
    ...(isPolled && { 304: { $ref: '#/components/responses/NotModified' } }),
    ...errorResponses(errors, responses, oauthErrors),
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

/** Allows only own files. Swagger UI also uses `data:` icons and inline styles. */
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Headers that pass between a client and the pages. */
const requestHeaders = ['if-none-match', 'if-modified-since'];
const responseHeaders = [
  'cache-control',
  'content-security-policy',
  'content-type',
  'etag',
  'last-modified',
  'location',
];

/**
 * Serves Swagger UI at `/docs`. It is loaded with the first request, because few processes serve any. Fastify accepts no plugins after
 * its start, so the pages are an app of their own, which is asked in memory.
 */
function installApiPages(app: FastifyInstance): void {
  let pages: Promise<FastifyInstance> | undefined;
  const open = (): Promise<FastifyInstance> =>
    (pages ??= makePages(app.swagger()).catch((error: unknown) => {
      pages = undefined;
      throw error;
    }));
  const countUnknown = limitRate(unknownPathLimit);
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<Buffer> => {
    const asked = { url: request.url, headers: pick(request.headers, requestHeaders) };
    const { statusCode, headers, rawPayload } = await (await open()).inject(asked);
    if (statusCode === 404) {
      await countUnknown(request);
      throw unknownPath(request);
    }
    reply.code(statusCode).headers(pick(headers, responseHeaders));
    return rawPayload;
  };
  for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true } }, answer);
}

function pick<Value>(headers: Record<string, Value>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

async function makePages(document: object): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const pages = Fastify();
  await pages.register(swagger, { mode: 'static', specification: { document: document as never } });
  await pages.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    uiConfig: { url: '/openapi.json', docExpansion: 'list' },
    theme: {
      title: 'Forgewatch API',
      css: [{ filename: 'page.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
  return pages;
}
