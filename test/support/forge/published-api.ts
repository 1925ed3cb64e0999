import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Operation, PublishedApi } from '#test/vectors/extract/published-api.ts';

export interface ApiRequest {
  method: string;
  /** Without the root of the API. */
  path: string;
  query: URLSearchParams;
  /** Undefined when the request has none. */
  body: unknown;
}

/** Checks requests and answers with the schemas that a forge publishes. Its functions throw at what they do not allow. */
export interface ApiCheck {
  request(request: ApiRequest): void;
  /** An answer that is a success or a redirect. */
  answer(request: Pick<ApiRequest, 'method' | 'path'>, status: number, body: unknown): void;
}

const root = 'https://forge.example/api.json';

export function publishedApi(forge: 'github-rest' | 'gitea'): ApiCheck {
  const file = path.join(import.meta.dirname, '../../vectors', forge, 'api.json');
  const api = JSON.parse(readFileSync(file, 'utf8')) as PublishedApi;
  const ajv = new Ajv({ strict: false, allErrors: false, logger: false, coerceTypes: false });
  // The types of the package describe its CommonJS form.
  (addFormats as unknown as (ajv: Ajv) => void)(ajv);
  ajv.addSchema(api, root);
  const templates = api.operations.map(({ method, path: template }) => ({
    method,
    pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }));

  function operationOf({ method, path: at }: Pick<ApiRequest, 'method' | 'path'>) {
    const index = templates.findIndex((each) => each.method === method && each.pattern.test(at));
    if (index === -1) throw new Error(`${forge} has no operation ${method} ${at} in api.json`);
    return {
      index,
      operation: api.operations[index]!,
      placeholders: templates[index]!.pattern.exec(at)!.groups,
    };
  }

  function check(pointer: string, value: unknown, what: string): void {
    const validate = ajv.getSchema(`${root}#${pointer}`) as ValidateFunction;
    if (!validate(value))
      throw new Error(`${forge} ${what}: ${ajv.errorsText(validate.errors, { dataVar: 'it' })}`);
  }

  return {
    request: (request) => {
      const { index, operation, placeholders } = operationOf(request);
      const name = `${operation.method} ${operation.path}`;
      const values = { ...Object.fromEntries(request.query), ...placeholders };
      for (const [key, value] of Object.entries(values)) {
        const at = operation.parameters.findIndex((parameter) => parameter.name === key);
        if (at === -1) throw new Error(`${forge} ${name} has no parameter ${key}`);
        check(`/operations/${index}/parameters/${at}/schema`, typed(operation, at, value), `${name}, ${key}`);
      }
      const missing = operation.parameters.find(({ name: key, required }) => required && !(key in values));
      if (missing !== undefined) throw new Error(`${forge} ${name} needs ${missing.name}`);
      if (request.body === undefined) return;
      if (operation.body === null) throw new Error(`${forge} ${name} takes no body`);
      check(`/operations/${index}/body`, request.body, `${name}, body`);
      const known = knownProperties(api, operation.body);
      const unknown = Object.keys(Object(request.body) as object).find((key) => !known.has(key));
      if (unknown !== undefined) throw new Error(`${forge} ${name} has no property ${unknown}`);
    },
    answer: (request, status, body) => {
      const { index, operation } = operationOf(request);
      const name = `${operation.method} ${operation.path}`;
      if (!(status in operation.answers)) throw new Error(`${forge} ${name} does not answer ${status}`);
      if (operation.answers[status] !== null)
        check(`/operations/${index}/answers/${status}`, body, `${name}, ${status}`);
    },
  };
}

/** Parameters are text in an address. */
function typed({ parameters }: Operation, at: number, value: string): unknown {
  const { type } = Object(parameters[at]!.schema) as { type?: string };
  if (type === 'integer' || type === 'number') return value === '' ? value : Number(value);
  return type === 'boolean' ? value === 'true' || (value === 'false' ? false : value) : value;
}

interface ObjectSchema {
  $ref?: string;
  properties?: object;
  anyOf?: ObjectSchema[];
}

function knownProperties(api: PublishedApi, schema: unknown): Set<string> {
  const { $ref: reference, properties = {}, anyOf = [] } = schema as ObjectSchema;
  const other = reference === undefined ? anyOf : [api.schemas[reference.split('/').at(-1)!]];
  return new Set([...Object.keys(properties), ...other.flatMap((each) => [...knownProperties(api, each)])]);
}
