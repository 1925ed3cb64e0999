import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { after, afterEach } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface Response {
  $ref?: string;
  content?: Record<string, { schema?: object }>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
let problems: string[] = [];

/**
 * Compares each answer of the products that a test file starts in its process with `/openapi.json`: its status must be documented
 * for the operation, and its body must match the schema. A difference fails the test in which it was seen. Call it before the product starts.
 */
export function checkAnswers(): void {
  diagnostics.subscribe('fastify.initialization', (message) => {
    const { fastify: app } = message as { fastify: FastifyInstance };
    let check: ReturnType<typeof makeCheck> | undefined;
    const compare = (request: FastifyRequest, reply: FastifyReply, payload?: unknown): void => {
      // Servers of operator pages and of tests have no reference.
      if (!app.hasDecorator('swagger') || !methods.has(request.method)) return;
      check ??= makeCheck(app.swagger() as unknown as Document);
      const problem = check(request, reply, payload);
      if (problem !== undefined) problems.push(problem);
    };
    app.addHook('onSend', (request, reply, payload, done) => {
      compare(request, reply, payload);
      done(null, payload);
    });
    // A later hook may have turned the answer into 304.
    app.addHook('onResponse', (request, reply, done) => {
      compare(request, reply);
      done();
    });
  });

  // Also for what arrives after the last test.
  for (const hook of [afterEach, after])
    hook(() => {
      const seen = [...new Set(problems)];
      problems = [];
      assert.deepEqual(seen, [], 'answers as /openapi.json documents them');
    });
}

function makeCheck(api: Document) {
  const ajv = new Ajv2020({ strict: false, logger: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(api, 'api');
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown): string | undefined => {
    const route = request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}') ?? '';
    const operation = api.paths[route]?.[request.method.toLowerCase()];
    // Pages and unknown paths are not part of the API.
    if (operation === undefined) return undefined;
    const { statusCode } = reply;
    const name = `${request.method} ${route} ${statusCode}`;
    const status = [String(statusCode), `${String(statusCode)[0]}XX`].find(
      (each) => each in operation.responses,
    );
    if (status === undefined) return `${name} is not documented`;
    const [type = ''] = String(reply.getHeader('content-type')).split(';');
    if (typeof payload !== 'string' || !type.endsWith('json')) return undefined;
    const { $ref } = operation.responses[status]!;
    const parts = $ref?.slice(2).split('/') ?? [
      'paths',
      route,
      request.method.toLowerCase(),
      'responses',
      status,
    ];
    const response = $ref === undefined ? operation.responses[status]! : api.components.responses[parts[2]!]!;
    if (response.content === undefined) return undefined;
    if (response.content[type] === undefined) return `${name} is documented without ${type}`;
    const pointer = [...parts, 'content', type, 'schema'].map(escapePart).join('/');
    const validate = ajv.getSchema(`api#/${pointer}`) as ValidateFunction;
    if (validate(JSON.parse(payload))) return undefined;
    return `${name}: ${ajv.errorsText(validate.errors, { dataVar: 'body' })}`;
  };
}

/** A part of a JSON pointer in a URI (RFC 6901, section 6). */
function escapePart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
