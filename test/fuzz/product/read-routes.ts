import type { Route } from '#server/route.ts';
import type { RouteRow } from '../target.ts';
import type { Schema } from '../grammar/schema.ts';

interface Reference {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

/** The product's own table, with what its API reference says of each row: a new route is sent requests without further work. */
export async function readRoutes(routes: readonly Route[], baseUrl: string): Promise<RouteRow[]> {
  const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Reference;
  return routes.map(({ method, path, access, query, body, rawBodyMaxBytes }) => {
    const responses = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses ?? {};
    return {
      method,
      path,
      isForSessions: access === 'signed-in' || (typeof access === 'object' && 'role' in access),
      isRaw: rawBodyMaxBytes !== undefined,
      ...(query === undefined ? {} : { query: query as Schema }),
      ...(body === undefined ? {} : { body: body as Schema }),
      statuses: Object.keys(responses).map(Number).filter(Number.isInteger),
    };
  });
}
