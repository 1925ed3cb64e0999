import { randomUUID } from 'node:crypto';
import type { Route } from '#server/route.ts';
import type { World } from '../route-objects.ts';

/** A valid call of a route: further path parameters, required parameters of the query, and the body. */
export interface Call {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
}

/** The address of a call. Parameters that it does not name are random ids. */
export function pathOf(row: Route, integrationId: string, { params = {}, query = {} }: Call = {}): string {
  const values: Record<string, string> = { integrationId, ...params };
  const path = row.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? randomUUID()),
  );
  return `${path}?${new URLSearchParams(query)}`;
}

type Example = (world: World) => Call | Promise<Call>;
export type Examples = Record<string, Example>;

export const one = '/api/integrations/:integrationId';
export const nothing: Example = () => ({});

/** A call about a new object, whose id is in the path. */
export const inPath =
  (name: string, make: (world: World) => Promise<string>, body?: Call['body']): Example =>
  async (world) => ({ params: { [name]: await make(world) }, ...(body && { body }) });

/** A call that finds a new object. */
export const after =
  (make: (world: World) => Promise<unknown>): Example =>
  async (world) => {
    await make(world);
    return {};
  };
