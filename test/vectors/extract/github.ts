import { neededSchemas, type Operation, type Parameter, type PublishedApi } from './published-api.ts';

type Json = Record<string, unknown>;

interface OpenApi {
  info: { version: string };
  paths: Record<string, Record<string, Json & { parameters?: Json[]; responses: Record<string, Json> }>>;
  components: { schemas: Record<string, Json>; parameters: Record<string, Json> };
}

const repository = '/repos/{owner}/{repo}';
const run = `${repository}/actions/runs/{run_id}`;

/** The operations that the product uses. */
const used = [
  'GET /app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /installation/repositories',
  'GET /orgs/{org}/members',
  'GET /orgs/{org}/members/{username}',
  'GET /orgs/{org}/memberships/{username}',
  'GET /user',
  'GET /user/repos',
  `GET ${repository}/actions/runs`,
  `GET ${run}`,
  `GET ${run}/attempts/{attempt_number}`,
  `GET ${run}/jobs`,
  `GET ${run}/artifacts`,
  `GET ${repository}/actions/artifacts/{artifact_id}/{archive_format}`,
  `POST ${run}/rerun`,
  `POST ${run}/rerun-failed-jobs`,
  `POST ${run}/cancel`,
  `POST ${repository}/actions/jobs/{job_id}/rerun`,
  `GET ${repository}/actions/jobs/{job_id}/logs`,
  `GET ${repository}/check-runs/{check_run_id}/annotations`,
  `GET ${repository}/compare/{basehead}`,
  `GET ${repository}/commits/{ref}`,
  `GET ${repository}/branches/{branch}`,
  `GET ${repository}/rules/branches/{branch}`,
  `GET ${repository}/pulls`,
  `GET ${repository}/hooks`,
  `POST ${repository}/hooks`,
  `PATCH ${repository}/hooks/{hook_id}`,
  `DELETE ${repository}/hooks/{hook_id}`,
];

/** From `generated/api.github.com.json` of the package `@octokit/openapi`. */
export function extractGithub(document: OpenApi): PublishedApi {
  const operations = used.map((route): Operation => {
    const [method = '', path = ''] = route.split(' ');
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`GitHub has no operation ${route}`);
    const { content } = Object(operation['requestBody']) as { content?: Json };
    const answers = Object.entries(operation.responses)
      .filter(([status]) => status.startsWith('2') || status === '302')
      .map(([status, answer]) => [status, schemaOf(answer['content'])]);
    return {
      method,
      path,
      parameters: (operation.parameters ?? []).map((parameter) => parameterOf(document, parameter)),
      body: schemaOf(content),
      answers: Object.fromEntries(answers) as Json,
    };
  });
  return {
    source: `@octokit/openapi ${document.info.version}, generated/api.github.com.json`,
    licence: 'MIT',
    operations,
    schemas: neededSchemas(operations, (name) => reduced(document.components.schemas[name])),
  };
}

function parameterOf(document: OpenApi, parameter: Json): Parameter {
  const { $ref: reference } = parameter as { $ref?: string };
  const found =
    reference === undefined ? parameter : document.components.parameters[reference.split('/').at(-1)!]!;
  return {
    name: String(found['name']),
    in: found['in'] === 'path' ? 'path' : 'query',
    required: found['required'] === true,
    schema: reduced(found['schema']),
  };
}

function schemaOf(content: unknown): unknown {
  const { schema } = Object(Object(content)['application/json']) as { schema?: unknown };
  return schema === undefined ? null : reduced(schema);
}

const keptKeys = new Set(
  (
    'type properties required items enum oneOf anyOf allOf $ref format nullable additionalProperties minimum maximum ' +
    'minItems maxItems minLength maxLength pattern'
  ).split(' '),
);

/** Without descriptions and examples, and with `nullable` as JSON Schema writes it. */
function reduced(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).filter(([key]) => keptKeys.has(key)),
  ) as Json;
  for (const key of ['items', 'additionalProperties']) if (key in rest) rest[key] = reduced(rest[key]);
  for (const key of ['oneOf', 'anyOf', 'allOf'])
    if (key in rest) rest[key] = (rest[key] as unknown[]).map(reduced);
  if ('properties' in rest)
    rest['properties'] = Object.fromEntries(
      Object.entries(rest['properties'] as Json).map(([name, property]) => [name, reduced(property)]),
    );
  if (typeof rest['$ref'] === 'string')
    rest['$ref'] = rest['$ref'].replace('#/components/schemas/', '#/schemas/');
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest;
}
