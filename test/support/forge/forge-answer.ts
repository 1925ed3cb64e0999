import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { Compile } from 'typebox/schema';
import type { ForgeAnswer } from './forge-repository-routes.ts';

export type SchemaName =
  | 'installation'
  | 'installation-token'
  | 'organization-members'
  | 'organization-membership'
  | NonNullable<ForgeAnswer['schema']>;

const folder = path.join(import.meta.dirname, '../../vectors/github-rest');
const schemas = new Map<SchemaName, ReturnType<typeof Compile>>();

/** What does not fit the forge's own schema is a fault of this server, and fails the call. */
export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  schema?: SchemaName,
  headers: Record<string, string> = {},
): void {
  if (schema !== undefined) {
    const compiled =
      schemas.get(schema) ??
      Compile(JSON.parse(readFileSync(path.join(folder, `${schema}.json`), 'utf8')) as object);
    schemas.set(schema, compiled);
    if (!compiled.Check(body))
      throw new Error(`${schema}: ${JSON.stringify(compiled.Errors(body)[1]?.[0] ?? {})}`);
  }
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    .end(JSON.stringify(body));
}
