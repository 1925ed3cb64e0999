import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { after, afterEach } from 'node:test';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { referenceSchemas } from './reference-schemas.ts';

interface Response {
  $ref?: string;
  content?: Record<string, { schema?: object }>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

interface SentAnswer {
  app: FastifyInstance;
  method: string;
  route: string;
  status: number;
  contentType: string;
  /** Undefined when the status alone is compared. */
  body: string | undefined;
}

type Check = (answer: SentAnswer) => string | undefined;

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
let sent: SentAnswer[] = [];
/** The routes of each server with their schemas, of which its reference is made. */
const routesOf = new WeakMap<FastifyInstance, string[]>();

diagnostics.subscribe('fastify.initialization', (message) => {
  const { fastify: app } = message as { fastify: FastifyInstance };
  const routes: string[] = [];
  routesOf.set(app, routes);
  app.addHook('onRoute', ({ method, url, schema }) => {
    routes.push(JSON.stringify([method, url, schema]));
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    note(app, request, reply, payload);
    done(null, payload);
  });
  // A later hook may have turned the answer into 304.
  app.addHook('onResponse', (request, reply, done) => {
    note(app, request, reply);
    done();
  });
});

const check = makeCheck();

/**
 * Compares each answer of the products that start in this process with `/openapi.json`: its status must be documented for the
 * operation, and its body must match the schema. A difference fails the test in which it was seen. Call it in the test file or the
 * test that starts a product, before it starts.
 */
export function checkAnswers(): void {
  // After the test, so that no test measures the comparison. Also for what arrives after the last one.
  for (const hook of [afterEach, after])
    hook(() => {
      const answers = sent;
      sent = [];
      const problems = answers.map(check).filter((problem) => problem !== undefined);
      assert.deepEqual([...new Set(problems)], [], 'answers as /openapi.json documents them');
    });
}

function note(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply, payload?: unknown): void {
  // Servers of operator pages and of tests have no reference.
  if (!app.hasDecorator('swagger') || !methods.has(request.method)) return;
  sent.push({
    app,
    method: request.method,
    route: request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}') ?? '',
    status: reply.statusCode,
    contentType: String(reply.getHeader('content-type')),
    body: typeof payload === 'string' ? payload : undefined,
  });
}

function makeCheck(): Check {
  const checks = new Map<string, Check>();
  const checksOfApps = new WeakMap<FastifyInstance, Check>();
  return (answer) => {
    const known = checksOfApps.get(answer.app);
    if (known !== undefined) return known(answer);
    // Products with the same routes share the compiled schemas. Making the reference takes a tenth of a second.
    const key = routesOf.get(answer.app)!.join('\n');
    const check = checks.get(key) ?? checkOf(answer.app.swagger() as unknown as Document);
    checks.set(key, check);
    checksOfApps.set(answer.app, check);
    return check(answer);
  };
}

function checkOf(api: Document): Check {
  const checkPart = referenceSchemas(api);
  return ({ method, route, status: code, contentType, body }) => {
    const operation = api.paths[route]?.[method.toLowerCase()];
    // Pages and unknown paths are not part of the API.
    if (operation === undefined) return undefined;
    const name = `${method} ${route} ${code}`;
    const status = [String(code), `${String(code)[0]}XX`].find((each) => each in operation.responses);
    if (status === undefined) return `${name} is not documented`;
    const [type = ''] = contentType.split(';');
    if (body === undefined || !type.endsWith('json')) return undefined;
    const { $ref } = operation.responses[status]!;
    const own = ['paths', route, method.toLowerCase(), 'responses', status];
    const parts = $ref?.slice(2).split('/') ?? own;
    const response = $ref === undefined ? operation.responses[status]! : api.components.responses[parts[2]!]!;
    if (response.content === undefined) return undefined;
    if (response.content[type] === undefined) return `${name} is documented without ${type}`;
    const problem = checkPart([...parts, 'content', type, 'schema'], JSON.parse(body));
    return problem === undefined ? undefined : `${name}: ${problem}`;
  };
}
