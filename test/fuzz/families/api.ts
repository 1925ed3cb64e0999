import * as fc from 'fast-check';
import type { Header, HttpCase } from '../case.ts';
import { pathOf, queryOf } from '../grammar/address.ts';
import { cookieText, oddHeaders } from '../grammar/headers.ts';
import { jsonOf } from '../grammar/json.ts';
import { valueOf } from '../grammar/schema.ts';
import type { RouteRow } from '../target.ts';

/** Requests to the routes of the table that take JSON or nothing. */
export function apiCases(routes: readonly RouteRow[]): fc.Arbitrary<HttpCase> {
  return fc.oneof(...routes.filter(({ isRaw }) => !isRaw).map(caseOf));
}

function caseOf(row: RouteRow): fc.Arbitrary<HttpCase> {
  const known = row.isForSessions
    ? (['nobody', 'viewer', 'owner', 'owner', 'owner'] as const)
    : (['nobody', 'guest'] as const);
  return fc.record(
    {
      who: fc.constantFrom(...known),
      method: fc.oneof(
        { arbitrary: fc.constant(row.method), weight: 19 },
        {
          arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'GET', 'POST', 'PATCH', 'TRACE', 'QUERY'),
          weight: 1,
        },
      ),
      target: fc.tuple(pathOf(row.path), queryOf(row.query ?? {})).map((parts) => parts.join('')),
      headers: fc.tuple(mediaType, oddHeaders).map((parts) => parts.flat()),
      cookie: fc.option(cookieText, { nil: undefined, freq: 12 }),
      body: bodyOf(row),
    },
    { requiredKeys: ['who', 'method', 'target', 'headers', 'body'] },
  );
}

const json: Header = ['content-type', 'application/json'];

const mediaType: fc.Arbitrary<Header[]> = fc.oneof(
  { arbitrary: fc.constant<Header[]>([json, ['origin', '{publicUrl}']]), weight: 8 },
  { arbitrary: fc.constant<Header[]>([json]), weight: 2 },
  { arbitrary: fc.constant<Header[]>([]), weight: 1 },
);

function bodyOf({ body, method }: RouteRow): fc.Arbitrary<HttpCase['body']> {
  if (body !== undefined) return jsonOf(valueOf(body));
  const none = { arbitrary: fc.constant(undefined), weight: 6 };
  const some = { arbitrary: jsonOf(fc.constant({})), weight: method === 'GET' ? 1 : 3 };
  return fc.oneof(none, some);
}
